// Walks the text form of Protocol Buffers, field by field, without a schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace opyard::graphs {

// After NextField, ForEachValue or Skip takes what the field holds. In each call of ForEachValue's
// argument exactly one of EnterMessage, Text, Integer, Real, Bool or Name takes a value. Holds
// views of `text`. All throw InputError "`place`:LINE:COLUMN: …" for what has another form.
class ProtoText {
 public:
  ProtoText(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  // The name of the next field of the message; false at its end, which is taken. An extension,
  // "[name]", has the name "".
  [[nodiscard]] bool NextField(std::string_view& name);

  // The value of the field, or each of its list "[1, 2]".
  template <class Visit>
  void ForEachValue(const Visit& visit) {
    TakeColon();
    if (!TakeListStart()) {
      visit();
      return;
    }
    while (!TakeListEnd()) {
      visit();
    }
  }

  // Goes into the message that is the value, in braces or angle brackets.
  void EnterMessage();
  // Quoted texts, one behind the other, with their escapes resolved.
  [[nodiscard]] std::string Text();
  // Decimal, hexadecimal (0x) or octal (0); beyond int64 it is that of the same 64 bits.
  [[nodiscard]] std::int64_t Integer();
  [[nodiscard]] double Real();
  [[nodiscard]] bool Bool();
  // The name of an enumerator, or its number.
  [[nodiscard]] std::string_view Name();
  // Passes all that a field holds, of any form.
  void Skip();
  // Refuses the value that was taken last.
  [[noreturn]] void RefuseLast(const std::string& found, const std::string& expected) const;

 private:
  [[noreturn]] void Refuse(const std::string& expected) const;
  void SkipBlanks();
  void SkipSpace();
  [[nodiscard]] char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  // A run of letters, digits and the signs of names and numbers; may be empty.
  [[nodiscard]] std::string_view Word();
  [[nodiscard]] std::string_view QuotedText();
  void TakeColon();
  [[nodiscard]] bool TakeListStart();
  [[nodiscard]] bool TakeListEnd();

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
  std::size_t last_ = 0;   // where the value begins that was taken last
  std::size_t depth_ = 0;  // of the message we are in
};

}  // namespace opyard::graphs
