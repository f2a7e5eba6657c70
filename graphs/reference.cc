#include "graphs/reference.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "graphs/importers/foreign_formats.h"
#include "graphs/importers/importers.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

constexpr std::string_view kVariant = "variant";

[[noreturn]] void Refuse(const std::string& text, const std::string& message) {
  throw InputError("graph \"" + text + "\": " + message);
}

// The length of the leading "SOURCE" of "SOURCE:…"; 0 if there is none.
std::size_t SourceLength(const std::string& text) {
  const auto end = std::ranges::find_if(
      text, [](unsigned char letter) { return std::isalnum(letter) == 0 && letter != '_'; });
  return end != text.end() && *end == ':' ? static_cast<std::size_t>(end - text.begin()) : 0;
}

void ParseOption(const std::string& text, const std::string& word, Options& options) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    Refuse(text, "found option \"" + word + "\", expected key=value");
  }
  const std::string key = word.substr(0, equals);
  if (options.values().contains(key)) {
    Refuse(text, "option " + key + " is given twice");
  }
  options.Set(key, ParseOptionValue(word.substr(equals + 1)));
}

void ParseQuery(const std::string& text, const std::string& query, Options& options) {
  std::size_t begin = 0;
  while (begin <= query.size()) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    ParseOption(text, query.substr(begin, end - begin), options);
    begin = end + 1;
  }
}

GraphReference ParseGenerated(const std::string& text, std::size_t source_length) {
  GraphReference reference{.kind = GraphReference::Kind::kGenerated,
                           .source = text.substr(0, source_length)};
  const std::string rest = text.substr(source_length + 1);
  const std::size_t question = rest.find('?');
  reference.name = rest.substr(0, question);
  if (reference.name.empty()) {
    Refuse(text, "expected a name after \"" + reference.source + ":\"");
  }
  if (question != std::string::npos) {
    ParseQuery(text, rest.substr(question + 1), reference.options);
  }
  return reference;
}

GraphReference ParseVariant(const std::string& text) {
  constexpr std::uint64_t kLargestSeed = std::uint64_t{1} << 53;
  const std::string rest = text.substr(kVariant.size() + 1);
  GraphReference reference{.kind = GraphReference::Kind::kVariant, .source = std::string(kVariant)};
  const char* end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, reference.seed);
  if (error != std::errc() || reference.seed > kLargestSeed || stop == end || *stop != ':' ||
      stop + 1 == end) {
    Refuse(text, "found \"" + rest + "\" after \"variant:\", expected SEED:GRAPH");
  }
  reference.name.assign(stop + 1, end);
  if (reference.name.starts_with(std::string(kVariant) + ":")) {
    Refuse(text, "found a variant of a variant, expected one of another graph");
  }
  return reference;
}

bool IsPath(std::string_view text) {
  std::string_view name = text;
  name.remove_suffix(name.ends_with(".gz") ? 3 : 0);
  const auto is_end = [name](std::string_view suffix) { return name.ends_with(suffix); };
  return text == "-" || text.find('/') != std::string_view::npos ||
         std::ranges::any_of(kGraphSuffixes, is_end) ||
         std::ranges::any_of(kForeignSuffixes, is_end);
}

}  // namespace

GraphReference ParseGraphReference(const std::string& text) {
  if (text.empty()) {
    Refuse(text, "expected a path, the name of a shipped graph, or a generator");
  }
  if (const std::size_t length = SourceLength(text); length > 0) {
    return text.substr(0, length) == kVariant ? ParseVariant(text) : ParseGenerated(text, length);
  }
  return GraphReference{
      .kind = IsPath(text) ? GraphReference::Kind::kPath : GraphReference::Kind::kShipped,
      .name = text};
}

}  // namespace opyard::graphs
