#include "experiments/graphs/bare_numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace opyard::experiments {
namespace {

constexpr std::array<std::string_view, 3> kNonFinite = {"infinity", "inf", "nan"};

bool IsWordLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool AreEqualLetters(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == b;
}

// The length of a number that is not finite at `begin`, in characters; 0 if there is none.
std::size_t NonFiniteLength(std::string_view text, std::size_t begin) {
  const std::size_t sign = text[begin] == '-' || text[begin] == '+' ? 1 : 0;
  const std::string_view rest = text.substr(begin + sign);
  for (const std::string_view name : kNonFinite) {
    const bool begins = std::ranges::equal(rest.substr(0, name.size()), name, AreEqualLetters);
    if (begins && (rest.size() == name.size() || !IsWordLetter(rest[name.size()]))) {
      return sign + name.size();
    }
  }
  return 0;
}

}  // namespace

void QuoteNonFiniteNumbers(std::string& text) {
  bool is_in_string = false;
  bool follows_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (is_in_string) {
      i += letter == '\\' ? 1 : 0;  // whatever is escaped ends no string
      is_in_string = letter != '"';
      continue;
    }
    is_in_string = letter == '"';
    const std::size_t length = follows_word ? 0 : NonFiniteLength(text, i);
    follows_word = IsWordLetter(letter);
    if (length > 0) {
      text[i] = '"';
      text[i + length - 1] = '"';
      i += length - 1;
    }
  }
}

}  // namespace opyard::experiments
