#include "graphs/reference.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

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

}  // namespace

GraphReference ParseGraphReference(const std::string& text) {
  if (text.empty()) {
    Refuse(text, "expected a path, the name of a shipped graph, or a generator");
  }
  if (const std::size_t length = SourceLength(text); length > 0) {
    return ParseGenerated(text, length);
  }
  const std::string_view view = text;
  const bool is_path = view.find('/') != std::string_view::npos || view.ends_with(".json") ||
                       view.ends_with(".json.gz");
  return GraphReference{
      .kind = is_path ? GraphReference::Kind::kPath : GraphReference::Kind::kShipped, .name = text};
}

}  // namespace opyard::graphs
