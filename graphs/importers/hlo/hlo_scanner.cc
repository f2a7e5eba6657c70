#include "graphs/importers/hlo/hlo_scanner.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace opyard::graphs {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMostIntegers = 4096;  // of one attribute

bool Opens(char sign) {
  return sign == '(' || sign == '{' || sign == '[';
}

bool Closes(char sign) {
  return sign == ')' || sign == '}' || sign == ']';
}

// The place behind the text that is quoted from `quote` on.
std::size_t EndOfQuoted(std::string_view text, std::size_t quote) {
  std::size_t at = quote + 1;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::min(at + 1, text.size());
}

// The length of the comment at `at`; 0 if there is none. One without an end ends with the text.
std::size_t CommentLength(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) {
    return std::min(rest.find('\n'), rest.size());
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = rest.find("*/", 2);
    return end == std::string_view::npos ? rest.size() : end + 2;
  }
  return 0;
}

// The end of the JSON value at the front of `text`, whose quotes may be escaped. Names and values
// hold no brackets.
std::size_t EndOfJsonValue(std::string_view text) {
  if (text.empty() || !Opens(text.front())) {
    return std::min(text.find_first_of(",]})\"\\"), text.size());
  }
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += Opens(text[i]) ? 1 : 0;
    depth -= Closes(text[i]) ? 1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

// The place behind the quoted text, the comment or the character at `at`.
std::size_t Next(std::string_view text, std::size_t at) {
  if (text[at] == '"') {
    return EndOfQuoted(text, at);
  }
  return at + std::max<std::size_t>(CommentLength(text, at), 1);
}

}  // namespace

std::size_t FindClosing(std::string_view text, std::size_t open) {
  std::string closing;  // what the brackets that are open close with, the innermost last
  for (std::size_t i = open; i < text.size(); i = Next(text, i)) {
    if (Opens(text[i])) {
      closing += text[i] == '(' ? ')' : text[i] == '[' ? ']' : '}';
    } else if (Closes(text[i])) {
      if (closing.empty() || closing.back() != text[i]) {
        return std::string_view::npos;
      }
      closing.pop_back();
      if (closing.empty()) {
        return i;
      }
    }
  }
  return std::string_view::npos;
}

std::size_t HloScanner::BlankLength(std::size_t at) const {
  if (at >= text_.size()) {
    return 0;
  }
  return kBlanks.find(text_[at]) != std::string_view::npos ? 1 : CommentLength(text_, at);
}

char HloScanner::Peek() {
  for (std::size_t length = BlankLength(at_); length > 0; length = BlankLength(at_)) {
    at_ += length;
  }
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool HloScanner::Take(std::string_view token) {
  static_cast<void>(Peek());
  if (!text_.substr(at_).starts_with(token)) {
    return false;
  }
  at_ += token.size();
  return true;
}

std::string_view HloScanner::TakeWord(std::string_view ends) {
  static_cast<void>(Peek());
  const std::size_t begin = at_;
  while (at_ < text_.size() && BlankLength(at_) == 0 && text_[at_] != ',' && !Opens(text_[at_]) &&
         !Closes(text_[at_]) && ends.find(text_[at_]) == std::string_view::npos) {
    ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

std::optional<std::string_view> HloScanner::TakeBrackets() {
  if (!Opens(Peek())) {
    return std::nullopt;
  }
  const std::size_t close = FindClosing(text_, at_);
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view taken = text_.substr(at_, close + 1 - at_);
  at_ = close + 1;
  return taken;
}

void HloScanner::TakeLayout() {
  if (at_ < text_.size() && text_[at_] == '{') {
    static_cast<void>(TakeBrackets());
  }
}

std::size_t HloScanner::EndOfValue() const {
  std::size_t at = at_;
  while (at < text_.size() && text_[at] != ',' && !Closes(text_[at]) && BlankLength(at) == 0) {
    const std::size_t close = Opens(text_[at]) ? FindClosing(text_, at) : at;
    if (close == std::string_view::npos) {
      return text_.size();
    }
    at = Opens(text_[at]) ? close + 1 : Next(text_, at);
  }
  return at;
}

std::optional<HloAttribute> HloScanner::TakeAttribute() {
  while (!AtEnd()) {
    const std::string_view key = TakeWord("=:\"");
    if (!key.empty() && Take("=")) {
      static_cast<void>(Peek());
      const std::size_t end = EndOfValue();
      const std::string_view value = text_.substr(at_, end - at_);
      at_ = end;
      return HloAttribute{key, value};
    }
    if (key.empty() && !AtEnd()) {  // what no attribute begins with
      const std::size_t close = Opens(text_[at_]) ? FindClosing(text_, at_) : at_;
      at_ = close == std::string_view::npos ? text_.size() : Next(text_, close);
    }
  }
  return std::nullopt;
}

std::string_view HloScanner::RestOfLine() {
  static_cast<void>(Peek());
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = text_.substr(at_, end - at_);
  const std::size_t last = line.find_last_not_of(kBlanks);
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

void HloScanner::SkipLine() {
  at_ = std::min(text_.find('\n', at_), text_.size());
}

std::optional<std::string_view> FindAttribute(std::string_view attributes, std::string_view key) {
  if (attributes.find(key) == std::string_view::npos) {
    return std::nullopt;
  }
  const bool has_braces = attributes.starts_with('{') && attributes.ends_with('}');
  HloScanner scanner(has_braces ? attributes.substr(1, attributes.size() - 2) : attributes);
  while (const std::optional<HloAttribute> attribute = scanner.TakeAttribute()) {
    if (attribute->key == key) {
      return attribute->value;
    }
  }
  return std::nullopt;
}

std::string_view WithoutQuotes(std::string_view text) {
  const bool has_quotes = text.size() >= 2 && text.starts_with('"') && text.ends_with('"');
  return has_quotes ? text.substr(1, text.size() - 2) : text;
}

std::string_view WithoutPercent(std::string_view name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

std::vector<std::int64_t> IntegersOf(std::string_view text) {
  std::vector<std::int64_t> integers;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  while (at != end && integers.size() < kMostIntegers) {
    const bool is_number = std::isdigit(static_cast<unsigned char>(*at)) != 0 || *at == '-';
    std::int64_t value = 0;
    const auto [stop, error] =
        is_number ? std::from_chars(at, end, value) : std::from_chars_result{at, std::errc()};
    if (stop == at) {
      ++at;
      continue;
    }
    integers.push_back(error == std::errc() ? value : -1);
    at = stop;
  }
  return integers;
}

std::optional<std::string_view> FindJsonMember(std::string_view json, std::string_view name) {
  for (std::size_t at = json.find(name); at != std::string_view::npos;
       at = json.find(name, at + 1)) {
    std::string_view rest = json.substr(at + name.size());
    const std::size_t colon = rest.find_first_not_of("\\\" \t\r\n");
    const bool is_name =
        at > 0 && json[at - 1] == '"' && (rest.starts_with('"') || rest.starts_with("\\\""));
    if (is_name && colon != std::string_view::npos && rest[colon] == ':') {
      rest.remove_prefix(colon + 1);
      rest = rest.substr(std::min(rest.find_first_not_of(" \t\r\n\\\""), rest.size()));
      return rest.substr(0, EndOfJsonValue(rest));
    }
  }
  return std::nullopt;
}

}  // namespace opyard::graphs
