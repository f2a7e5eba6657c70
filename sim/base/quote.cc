#include "sim/base/quote.h"

namespace opyard {
namespace {

constexpr std::size_t kLongest = 80;

// The longest prefix of at most kLongest bytes that does not split a UTF-8 character.
std::string_view Prefix(std::string_view text) {
  if (text.size() <= kLongest) {
    return text;
  }
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

std::string Escaped(unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  return {'\\', 'x', kHex[c >> 4U], kHex[c & 0xFU]};
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : Prefix(text)) {
    const auto byte = static_cast<unsigned char>(c);
    quoted += byte < 0x20U || byte == 0x7FU ? Escaped(byte) : std::string(1, c);
  }
  return quoted + (text.size() > kLongest ? "…\"" : "\"");
}

std::string PointerToken(std::string_view key) {
  const std::string quoted = Quoted(key);
  std::string token;
  for (const char c : std::string_view(quoted).substr(1, quoted.size() - 2)) {
    token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return token;
}

}  // namespace opyard
