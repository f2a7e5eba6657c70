#include "experiments/text/word_list.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace opyard::experiments {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

bool HasToBeEscaped(unsigned char c) {
  return c <= ' ' || c == '%' || c == 0x7F;
}

}  // namespace

std::string ToWord(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (HasToBeEscaped(byte)) {
      word += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    } else {
      word += c;
    }
  }
  return word;
}

std::optional<std::string> FromWord(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    const std::string_view digits = word.substr(i + 1, 2);
    const char* const end = digits.data() + digits.size();
    unsigned byte = 0;
    if (digits.size() < 2 || std::from_chars(digits.data(), end, byte, 16).ptr != end) {
      return std::nullopt;
    }
    text += static_cast<char>(byte);
    i += 2;
  }
  return text;
}

std::vector<std::string> SplitWords(std::string_view field) {
  std::vector<std::string> words;
  while (!field.empty()) {
    const std::size_t end = std::min(field.find(' '), field.size());
    words.emplace_back(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
  }
  return words;
}

}  // namespace opyard::experiments
