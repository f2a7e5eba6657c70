// Names of the user's files as they stand in messages.
#pragma once

#include <string>
#include <string_view>

namespace opyard {

// `text` in double quotes on one line: control characters escaped, cut after 80 bytes between two
// UTF-8 characters, so that a hostile name can neither forge a line nor fill the screen.
[[nodiscard]] std::string Quoted(std::string_view text);

// `key` as one token of a JSON pointer (RFC 6901), cut and escaped in the same way.
[[nodiscard]] std::string PointerToken(std::string_view key);

}  // namespace opyard
