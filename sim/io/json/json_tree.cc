#include "sim/io/json/json_tree.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/io/text/text_file.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostNodes = std::size_t{16} << 20U;
constexpr std::size_t kLongestToken = std::size_t{1} << 20U;

enum class CharClass : std::uint8_t { kSpace, kStructure, kWord };

CharClass ClassOf(char c) {
  switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
      return CharClass::kSpace;
    case '{':
    case '}':
    case '[':
    case ']':
    case ',':
    case ':':
      return CharClass::kStructure;
    default:
      return CharClass::kWord;
  }
}

// The reason in nlohmann's message, without its prefix and without the text it has read last.
std::string SyntaxReason(const nlohmann::detail::exception& error) {
  constexpr int kNumberOverflow = 406;
  if (error.id == kNumberOverflow) {
    return "found a number beyond the range of double";
  }
  const std::string what = error.what();
  const std::size_t begin = what.find("syntax error");
  if (begin == std::string::npos) {
    return "wrong JSON syntax";
  }
  const std::size_t last_read = what.find("; last read", begin);
  const std::size_t expected = what.rfind("; expected ");
  if (expected == std::string::npos) {
    return what.substr(begin, last_read - begin);
  }
  return what.substr(begin, std::min(last_read, expected) - begin) + what.substr(expected);
}

// Receives nlohmann's parse events and puts them into trees: the root's, and that of the streamed
// element at hand.
class TreeWriter : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeWriter(std::string_view text,
             const std::string& place,
             Diagnostics& diagnostics,
             const JsonStream& stream)
      : text_(text), place_(place), diagnostics_(diagnostics), stream_(stream) {}

  [[nodiscard]] JsonTree TakeRoot() { return std::move(root_.tree); }

  bool null() override { return AddScalar({.kind = JsonKind::kNull}); }
  bool boolean(bool value) override {
    return AddScalar({.kind = JsonKind::kBool, .integer = value ? 1 : 0});
  }
  bool number_integer(number_integer_t value) override {
    return AddScalar({.kind = JsonKind::kInteger, .integer = value});
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (std::in_range<std::int64_t>(value)) {
      return number_integer(static_cast<std::int64_t>(value));
    }
    return AddScalar({.kind = JsonKind::kBigInteger, .number = static_cast<double>(value)});
  }
  bool number_float(number_float_t value, const string_t& token) override {
    const bool is_integer = token.find_first_of(".eE") == string_t::npos;
    return AddScalar(
        {.kind = is_integer ? JsonKind::kBigInteger : JsonKind::kFloat, .number = value});
  }
  bool string(string_t& value) override {
    return AddScalar({.kind = JsonKind::kString,
                      .has_nul = value.find('\0') != string_t::npos,
                      .text = Store(value)});
  }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON text has none

  bool key(string_t& value) override {
    is_stream_next_ = !is_streaming_ && root_.open.size() == 1 && value == stream_.key &&
                      stream_.on_element != nullptr;
    Target& target = CurrentTarget();
    target.key = Store(value);
    target.key_has_nul = value.find('\0') != string_t::npos;
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return Open(JsonKind::kObject); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*size*/) override {
    const bool starts_stream = is_stream_next_;
    if (!Open(JsonKind::kArray)) {
      return false;
    }
    is_streaming_ = is_streaming_ || starts_stream;
    return true;
  }
  bool end_array() override {
    if (is_streaming_ && element_.open.empty()) {
      is_streaming_ = false;
    }
    return Close();
  }
  bool parse_error(std::size_t position,
                   const std::string& /*last_token*/,
                   const nlohmann::detail::exception& error) override {
    const std::size_t offset = std::min(text_.size(), position == 0 ? 0 : position - 1);
    diagnostics_.AddError(place_ + ":" + LineAndColumn(text_, offset), SyntaxReason(error));
    return false;
  }

 private:
  // A tree under construction.
  struct Target {
    JsonTree tree;
    std::vector<std::uint32_t> open;  // objects and arrays that have not ended
    JsonText key;                     // of the next node
    bool key_has_nul = false;
  };

  Target& CurrentTarget() { return is_streaming_ ? element_ : root_; }

  JsonText Store(const std::string& value) {
    std::string& text = CurrentTarget().tree.text;
    const JsonText range{.begin = static_cast<std::uint32_t>(text.size()),
                         .size = static_cast<std::uint32_t>(value.size())};
    text += value;
    return range;
  }

  bool Add(JsonNode node) {
    Target& target = CurrentTarget();
    std::vector<JsonNode>& nodes = target.tree.nodes;
    if (nodes.size() >= kMostNodes) {
      diagnostics_.AddError(place_, "found more than 16777216 values in one part, expected fewer");
      return false;
    }
    node.key = std::exchange(target.key, {});
    node.has_nul = node.has_nul || std::exchange(target.key_has_nul, false);
    node.end = static_cast<std::uint32_t>(nodes.size()) + 1;
    nodes.push_back(node);
    is_stream_next_ = false;
    return true;
  }

  bool AddScalar(const JsonNode& node) { return Add(node) && HandOutIfDone(); }

  bool Open(JsonKind kind) {
    if (root_.open.size() + element_.open.size() >= kDeepest) {
      diagnostics_.AddError(place_, "found values nested deeper than 32 levels, expected fewer");
      return false;
    }
    Target& target = CurrentTarget();
    target.open.push_back(static_cast<std::uint32_t>(target.tree.nodes.size()));
    return Add({.kind = kind});
  }

  bool Close() {
    Target& target = CurrentTarget();
    target.tree.nodes[target.open.back()].end =
        static_cast<std::uint32_t>(target.tree.nodes.size());
    target.open.pop_back();
    return HandOutIfDone();
  }

  bool HandOutIfDone() {
    if (!is_streaming_ || !element_.open.empty()) {
      return true;
    }
    const bool goes_on = stream_.on_element(element_.tree, num_elements_++);
    element_.tree.Clear();
    return goes_on;
  }

  std::string_view text_;
  const std::string& place_;
  Diagnostics& diagnostics_;
  const JsonStream& stream_;
  Target root_;
  Target element_;
  bool is_stream_next_ = false;
  bool is_streaming_ = false;
  std::size_t num_elements_ = 0;
};

}  // namespace

std::optional<std::size_t> FindLongToken(std::string_view text) {
  std::size_t start = 0;
  CharClass before = CharClass::kStructure;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const CharClass now = ClassOf(text[i]);
    if (now != before || now == CharClass::kStructure) {
      start = i;
      before = now;
    }
    if (text[i] == '"') {
      start = i++;
      while (i < text.size() && text[i] != '"') {
        i += text[i] == '\\' ? 2U : 1U;
      }
      before = CharClass::kStructure;
    }
    if (i - start > kLongestToken) {
      return start;
    }
  }
  return std::nullopt;
}

JsonTree ParseJson(std::string_view text,
                   const std::string& place,
                   Diagnostics& diagnostics,
                   const JsonStream& stream) {
  if (const std::optional<std::size_t> offset = FindLongToken(text)) {
    diagnostics.AddError(place + ":" + LineAndColumn(text, *offset),
                         "found a text, number or white space longer than 1 MiB, expected less");
    return {};
  }
  TreeWriter writer(text, place, diagnostics, stream);
  const bool is_complete =
      nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &writer);
  return is_complete ? writer.TakeRoot() : JsonTree();
}

}  // namespace opyard::sim
