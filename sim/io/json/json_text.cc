#include "sim/io/json/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace opyard::sim {

std::string NumberText(double number) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  std::array<char, 32> buffer{};                         // 24 suffice for the shortest spelling
  char* const end = buffer.data() + buffer.size();
  const std::to_chars_result result =
      std::abs(number) < kExactIntegers
          ? std::to_chars(buffer.data(), end, number)
          : std::to_chars(buffer.data(), end, number, std::chars_format::scientific);
  return {buffer.data(), result.ptr};
}

std::string JsonString(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20U) {
      quoted += "\\u00";
      quoted += kHex[byte >> 4U];
      quoted += kHex[byte & 0xFU];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace opyard::sim
