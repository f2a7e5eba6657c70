// Lines of whole numbers with commas between them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opyard::graphs {

// Goes through a text line by line, and through a line field by field. The text outlives it.
class NumberLines {
 public:
  explicit NumberLines(std::string_view text) : rest_(text) {}

  // False at the end of the text.
  bool NextLine();
  // True if the line has blanks alone.
  [[nodiscard]] bool IsBlank() const;
  // The next field of this line, without the blanks around it; nothing at the line's end. A comma
  // that ends the line begins no field.
  std::optional<std::string_view> NextField();
  // "LINE:COLUMN" of the last field, or of the line's end.
  [[nodiscard]] std::string Place() const;

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;  // from 1
  std::size_t at_ = 0;
  std::size_t column_ = 1;
};

}  // namespace opyard::graphs
