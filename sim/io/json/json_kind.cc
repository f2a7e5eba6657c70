#include "sim/io/json/json_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <set>

#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/io/json/json_tree.h"

namespace opyard::sim {
namespace {

// The root of a JSON text: its first keys and the text at "format", if there are such.
struct Outline {
  bool is_object = false;
  std::string format;
  std::set<std::string, std::less<>> keys;
};

// Receives nlohmann's parse events and keeps what stands at the root.
class OutlineReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*token*/) override { return true; }
  bool string(string_t& value) override {
    if (depth_ == 1 && is_format_next_) {
      outline_.format = value;
    }
    is_format_next_ = false;
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON text has none

  bool key(string_t& value) override {
    constexpr std::size_t kMostKeys = 64;
    if (depth_ == 1) {
      is_format_next_ = value == "format";
      if (outline_.keys.size() < kMostKeys) {
        outline_.keys.insert(value);
      }
    }
    return true;
  }
  bool start_object(std::size_t /*size*/) override {
    outline_.is_object = outline_.is_object || depth_ == 0;
    return Open();
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*size*/) override { return Open(); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t /*position*/,
                   const std::string& /*last_token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

  [[nodiscard]] const Outline& outline() const { return outline_; }

 private:
  bool Open() {
    ++depth_;
    is_format_next_ = false;
    return true;
  }
  bool Close() {
    --depth_;
    return true;
  }

  Outline outline_;
  std::int64_t depth_ = 0;
  bool is_format_next_ = false;
};

// A kind of file, recognised by its format, or by keys that stand together in no other.
struct Kind {
  std::string_view format;
  std::array<std::string_view, 2> keys;
  std::string_view what;
};

constexpr auto kKinds = std::to_array<Kind>({
    {.format = "opyard-graph/", .what = "a graph of opyard (it goes where a graph is named)"},
    {.format = "opyard-plan/", .what = "a plan of opyard (it goes to --plan)"},
    {.keys = {"traceEvents"},
     .what = "a timeline (opyard graph annotate --times reads those of PyTorch's profiler)"},
    {.keys = {"outcome", "makespan_s"},
     .what = "what opyard answers with --json, which holds no plan"},
    {.keys = {"nodes", "edges"}, .what = "a graph of another tool"},
});

bool IsOf(const Kind& kind, const Outline& outline) {
  if (!kind.format.empty()) {
    return outline.format.starts_with(kind.format);
  }
  return std::ranges::all_of(
      kind.keys, [&](std::string_view key) { return key.empty() || outline.keys.contains(key); });
}

std::string_view KindOf(const Outline& outline) {
  const auto found =
      std::ranges::find_if(kKinds, [&](const Kind& kind) { return IsOf(kind, outline); });
  return found == kKinds.end() ? "JSON of another program" : found->what;
}

bool MayBe(const Outline& outline, const WantedJson& wanted) {
  const bool is_of_family = !wanted.family.empty() && outline.format.starts_with(wanted.family);
  return is_of_family || outline.keys.contains(wanted.body_key);
}

}  // namespace

void ThrowIfOfAnotherKind(std::string_view text,
                          const std::string& place,
                          const WantedJson& wanted) {
  if (FindLongToken(text).has_value()) {
    return;
  }
  OutlineReader reader;
  const bool is_json = nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &reader);
  const Outline& outline = reader.outline();
  if (is_json && outline.is_object && !MayBe(outline, wanted)) {
    throw InputError(place + ": found " + std::string(KindOf(outline)) + ", expected " +
                     std::string(wanted.what) + "; " + std::string(wanted.advice));
  }
}

}  // namespace opyard::sim
