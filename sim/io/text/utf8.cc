#include "sim/io/text/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace opyard::sim {
namespace {

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The form of the characters of several bytes that begin with a byte of one range.
struct Lead {
  unsigned char first;  // the smallest byte of this row; it ends where the next one begins
  std::size_t length;   // 0: no character begins so
  unsigned char low;    // the second byte is in [low, high]: neither overlong nor a surrogate
  unsigned char high;
};

// The Unicode Standard, table 3-7.
constexpr auto kLeads = std::to_array<Lead>({{0x80, 0, 0, 0},
                                             {0xC2, 2, 0x80, 0xBF},
                                             {0xE0, 3, 0xA0, 0xBF},
                                             {0xE1, 3, 0x80, 0xBF},
                                             {0xED, 3, 0x80, 0x9F},
                                             {0xEE, 3, 0x80, 0xBF},
                                             {0xF0, 4, 0x90, 0xBF},
                                             {0xF1, 4, 0x80, 0xBF},
                                             {0xF4, 4, 0x80, 0x8F},
                                             {0xF5, 0, 0, 0}});

// The length of the UTF-8 character at the start of `text`, or 0 if there is none.
std::size_t CharacterLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) {
    return 1;
  }
  const Lead& lead = *(std::ranges::upper_bound(kLeads, first, {}, &Lead::first) - 1);
  if (lead.length == 0 || text.size() < lead.length) {
    return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_whole = second >= lead.low && second <= lead.high &&
                        std::ranges::all_of(text.substr(2, lead.length - 2), IsContinuation);
  return is_whole ? lead.length : 0;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

// True if the next eight bytes are printable ASCII: the fast path for large files.
bool IsPlainWord(std::string_view text, std::size_t i) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kSpaces = 0x2020202020202020U;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  std::uint64_t word = 0;
  if (text.size() - i < sizeof(word)) {
    return false;
  }
  std::memcpy(&word, text.data() + i, sizeof(word));
  if ((word & kHighs) != 0) {
    return false;
  }
  // Bytes are below 128 now: adding one reaches 128 from 127 only; setting the high bit and taking
  // 32 away clears it exactly where a byte is below 32.
  return ((word + kOnes) & kHighs) == 0 && (((word | kHighs) - kSpaces) & kHighs) == kHighs;
}

TextFlaw FlawAt(std::string_view text, std::size_t offset, std::string what) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {.line = static_cast<int>(std::ranges::count(before, '\n')) + 1,
          .column = static_cast<int>(offset - line_start) + 1,
          .what = std::move(what)};
}

}  // namespace

std::optional<TextFlaw> FindTextFlaw(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (IsPlainWord(text, i)) {
      i += sizeof(std::uint64_t);
      continue;
    }
    const std::size_t length = CharacterLength(text.substr(i));
    if (length == 0) {
      return FlawAt(text, i, "invalid UTF-8");
    }
    if (IsControl(text[i])) {
      return FlawAt(text, i, text[i] == '\0' ? "a NUL byte" : "a control character");
    }
    i += length;
  }
  return std::nullopt;
}

std::string ShownText(std::string_view text, std::size_t most) {
  std::size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && IsContinuation(text[end])) {
    --end;
  }
  std::string shown(text.substr(0, end));
  std::ranges::replace_if(
      shown, [](char c) { return IsControl(c) || c == '\t' || c == '\n' || c == '\r'; }, '?');
  return end < text.size() ? shown + "…" : shown;
}

}  // namespace opyard::sim
