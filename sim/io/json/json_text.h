// The spelling of numbers and strings in JSON.
#pragma once

#include <string>
#include <string_view>

namespace opyard::sim {

// The shortest spelling that reads back as `number`. From a magnitude of 2^53 on it has an
// exponent, so that readers take it as floating point, not as an overflowing integer. REQUIRES:
// finite.
[[nodiscard]] std::string NumberText(double number);

// The JSON string of `text`: in double quotes, escaped. REQUIRES: UTF-8.
[[nodiscard]] std::string JsonString(std::string_view text);

}  // namespace opyard::sim
