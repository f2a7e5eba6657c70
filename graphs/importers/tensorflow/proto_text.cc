#include "graphs/importers/tensorflow/proto_text.h"

#include <cctype>
#include <charconv>

#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {

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
  name = Word();
  if (name.empty()) {
    Refuse("the name of a field");
  }
  return true;
}

void ProtoText::EnterMessage() {
  TakeColon();
  if (Peek() != '{' && Peek() != '<') {
    Refuse("a message ({)");
  }
  ++at_;
  ++depth_;
}

std::string_view ProtoText::Text() {
  TakeColon();
  if (Peek() != '"' && Peek() != '\'') {
    Refuse("a quoted text");
  }
  return QuotedText();
}

std::int64_t ProtoText::Integer() {
  TakeColon();
  const std::size_t begin = at_;
  const std::string_view word = Word();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
    at_ = begin;
    Refuse("an integer within int64");
  }
  return value;
}

bool ProtoText::Bool() {
  TakeColon();
  const std::size_t begin = at_;
  const std::string_view word = Word();
  if (word != "true" && word != "false" && word != "1" && word != "0") {
    at_ = begin;
    Refuse("true or false");
  }
  return word == "true" || word == "1";
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

void ProtoText::Refuse(const std::string& expected) const {
  const std::string found =
      at_ == text_.size() ? "the end of the file" : Quoted(text_.substr(at_, 1));
  throw InputError(place_ + ":" + sim::LineAndColumn(text_, at_) + ": found " + found +
                   ", expected " + expected);
}

// Also the separators that the format allows between fields.
void ProtoText::SkipBlanks() {
  while (at_ < text_.size()) {
    const char next = text_[at_];
    if (next == '#') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (std::isspace(static_cast<unsigned char>(next)) != 0 || next == ',' || next == ';') {
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
