// Checks and shows text from files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opyard::sim {

// The first thing in a text that no text file of ours may hold.
struct TextFlaw {
  int line = 1;      // from 1
  int column = 1;    // in bytes, from 1
  std::string what;  // "a NUL byte", "invalid UTF-8", "a control character"
};

// Finds NUL, control characters other than tab, line feed and carriage return, and bytes that are
// not UTF-8 (surrogates and overlong forms included). O(size).
[[nodiscard]] std::optional<TextFlaw> FindTextFlaw(std::string_view text);

// `text` for a one-line message: cut at a character border after `most` bytes, control characters
// as
// "?".
[[nodiscard]] std::string ShownText(std::string_view text, std::size_t most = 60);

}  // namespace opyard::sim
