// Several texts in one field, with blanks between.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opyard::experiments {

// `text` as one word: blanks, control characters and `%` become `%` and two hexadecimal digits, as
// in an address of the web; "" stays "".
[[nodiscard]] std::string ToWord(std::string_view text);
// The text that ToWord made `word` of; nothing if two hexadecimal digits do not follow a `%`.
[[nodiscard]] std::optional<std::string> FromWord(std::string_view word);

// The words of a field, empty ones included; none of an empty field.
[[nodiscard]] std::vector<std::string> SplitWords(std::string_view field);

}  // namespace opyard::experiments
