#include "graphs/importers/tensorflow/proto_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}

// The number of at most `most` digits of base `base` at `at`, which moves behind them.
unsigned TakeDigits(std::string_view text, std::size_t& at, std::size_t most, int base) {
  const std::size_t end = std::min(text.size(), at + most);
  unsigned value = 0;
  const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value, base);
  at = static_cast<std::size_t>(stop - text.data());
  return error == std::errc() ? value : 0;
}

char ControlOf(char letter) {
  switch (letter) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return letter;
  }
}

// Appends `quoted` with \n, \x0a, \012 and the like as the bytes they stand for.
void AppendUnescaped(std::string_view quoted, std::string& out) {
  for (std::size_t at = 0; at < quoted.size();) {
    if (quoted[at] != '\\' || at + 1 == quoted.size()) {
      out += quoted[at++];
      continue;
    }
    const char letter = quoted[++at];
    if (IsOctal(letter)) {
      out += static_cast<char>(TakeDigits(quoted, at, 3, 8));
    } else if (letter == 'x' || letter == 'X') {
      out += static_cast<char>(TakeDigits(quoted, ++at, 2, 16));
    } else {
      out += ControlOf(letter);
      ++at;
    }
  }
}

// Nothing for what is no integer of 64 bits.
std::optional<std::int64_t> FindInteger(std::string_view word) {
  const bool is_negative = word.starts_with('-');
  std::string_view digits = word.substr(is_negative ? 1 : 0);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.starts_with('0')) {
    base = 8;
    digits.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63U;
  if (digits.empty() || error != std::errc() || stop != end || (is_negative && value > kLowest)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(is_negative ? ~value + 1 : value);
}

}  // namespace

bool ProtoText::NextField(std::string_view& name) {
  SkipBlanks();
  if (at_ == text_.size()) {
    if (depth_ > 0) {
      Refuse("the end of a message (})");
    }
    return false;
  }
  if (Peek() == '}' || Peek() == '>') {
    if (depth_ == 0) {
      Refuse("the name of a field");
    }
    --depth_;
    ++at_;
    return false;
  }
  if (Peek() == '[') {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) {
      Refuse("the end of an extension's name (])");
    }
    at_ = end + 1;
    name = "";
    return true;
  }
  name = Word();
  if (name.empty()) {
    Refuse("the name of a field");
  }
  return true;
}

void ProtoText::EnterMessage() {
  SkipBlanks();
  if (Peek() != '{' && Peek() != '<') {
    Refuse("a message ({)");
  }
  ++at_;
  ++depth_;
}

std::string ProtoText::Text() {
  SkipBlanks();
  last_ = at_;
  if (Peek() != '"' && Peek() != '\'') {
    Refuse("a quoted text");
  }
  std::string value;
  while (Peek() == '"' || Peek() == '\'') {
    AppendUnescaped(QuotedText(), value);
    SkipSpace();  // a separator would end the text
  }
  return value;
}

std::int64_t ProtoText::Integer() {
  SkipBlanks();
  last_ = at_;
  const std::string_view word = Word();
  const std::optional<std::int64_t> value = FindInteger(word);
  if (!value.has_value()) {
    at_ = last_;
    Refuse("an integer within int64");
  }
  return *value;
}

double ProtoText::Real() {
  SkipBlanks();
  last_ = at_;
  std::string_view word = Word();
  if (word.size() > 1 && (word.back() == 'f' || word.back() == 'F') && word.find("inf") > 1) {
    word.remove_suffix(1);
  }
  double value = 0.0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (word.empty() || error == std::errc::invalid_argument || stop != end) {
    const std::optional<std::int64_t> whole = FindInteger(word);
    if (!whole.has_value()) {
      at_ = last_;
      Refuse("a number");
    }
    value = static_cast<double>(*whole);
  }
  return value;
}

bool ProtoText::Bool() {
  const std::string_view word = Name();
  const bool is_true = word == "true" || word == "True" || word == "t" || word == "1";
  if (!is_true && word != "false" && word != "False" && word != "f" && word != "0") {
    at_ = last_;
    Refuse("true or false");
  }
  return is_true;
}

std::string_view ProtoText::Name() {
  SkipBlanks();
  last_ = at_;
  const std::string_view word = Word();
  if (word.empty()) {
    Refuse("a name");
  }
  return word;
}

void ProtoText::Skip() {
  TakeColon();
  std::size_t open = 0;
  do {
    SkipBlanks();
    const char next = Peek();
    if (at_ == text_.size()) {
      Refuse("a value");
    }
    if (next == '"' || next == '\'') {
      static_cast<void>(QuotedText());
    } else if (next == '{' || next == '<' || next == '[') {
      ++open;
      ++at_;
    } else if (next == '}' || next == '>' || next == ']') {
      if (open == 0) {
        Refuse("a value");
      }
      --open;
      ++at_;
    } else if (next == ':') {
      ++at_;
    } else if (Word().empty()) {
      Refuse("a value");
    }
  } while (open > 0);
}

void ProtoText::RefuseLast(const std::string& found, const std::string& expected) const {
  throw InputError(place_ + ":" + sim::LineAndColumn(text_, last_) + ": found " + found +
                   ", expected " + expected);
}

bool ProtoText::TakeListStart() {
  SkipBlanks();
  if (Peek() != '[') {
    return false;
  }
  ++at_;
  return true;
}

bool ProtoText::TakeListEnd() {
  SkipBlanks();
  if (at_ == text_.size()) {
    Refuse("the end of a list (])");
  }
  if (Peek() != ']') {
    return false;
  }
  ++at_;
  return true;
}

void ProtoText::Refuse(const std::string& expected) const {
  const std::string found =
      at_ == text_.size() ? "the end of the file" : Quoted(text_.substr(at_, 1));
  throw InputError(place_ + ":" + sim::LineAndColumn(text_, at_) + ": found " + found +
                   ", expected " + expected);
}

// Also the separators that the format allows between fields.
void ProtoText::SkipBlanks() {
  SkipSpace();
  while (Peek() == ',' || Peek() == ';') {
    ++at_;
    SkipSpace();
  }
}

// And comments.
void ProtoText::SkipSpace() {
  while (at_ < text_.size()) {
    const char next = text_[at_];
    if (next == '#') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (std::isspace(static_cast<unsigned char>(next)) != 0) {
      ++at_;
    } else {
      return;
    }
  }
}

std::string_view ProtoText::Word() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const auto next = static_cast<unsigned char>(text_[at_]);
    if (std::isalnum(next) == 0 && next != '_' && next != '.' && next != '-' && next != '+') {
      break;
    }
    ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

std::string_view ProtoText::QuotedText() {
  const char quote = Peek();
  const std::size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
    at_ += text_[at_] == '\\' ? 2 : 1;
  }
  if (at_ >= text_.size() || text_[at_] != quote) {
    at_ = begin - 1;
    Refuse("a text that ends on its line");
  }
  const std::string_view value = text_.substr(begin, at_ - begin);
  ++at_;
  return value;
}

void ProtoText::TakeColon() {
  SkipBlanks();
  if (Peek() == ':') {
    ++at_;
    SkipBlanks();
  }
}

}  // namespace opyard::graphs
