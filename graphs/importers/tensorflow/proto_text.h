// Walks the text form of Protocol Buffers, field by field, without a schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace opyard::graphs {

// After NextField, exactly one of EnterMessage, Text, Integer, Bool or Skip takes the value. Holds
// views of `text`. All throw InputError "`place`:LINE:COLUMN: …" for what has another form.
class ProtoText {
 public:
  ProtoText(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  // The name of the next field of the message; false at its end, which is taken.
  [[nodiscard]] bool NextField(std::string_view& name);
  // Goes into the message that is the field's value.
  void EnterMessage();
  // A quoted text; escapes stay as they are written.
  [[nodiscard]] std::string_view Text();
  [[nodiscard]] std::int64_t Integer();
  [[nodiscard]] bool Bool();
  // Passes a value of any form.
  void Skip();

 private:
  [[noreturn]] void Refuse(const std::string& expected) const;
  void SkipBlanks();
  [[nodiscard]] char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  // A run of letters, digits and the signs of names and numbers; may be empty.
  [[nodiscard]] std::string_view Word();
  [[nodiscard]] std::string_view QuotedText();
  void TakeColon();

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;  // of the message we are in
};

}  // namespace opyard::graphs
