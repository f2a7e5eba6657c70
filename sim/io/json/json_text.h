// The spelling of numbers and texts in JSON.
#pragma once

#include <string>
#include <string_view>

namespace opyard::sim {

// The shortest spelling that reads back as `number`; with a point or an exponent from 2^53 on, so
// that readers take it for a number and not for an integer beyond int64. REQUIRES: finite.
[[nodiscard]] std::string NumberText(double number);

// `text` in double quotes, escaped as JSON demands. REQUIRES: UTF-8.
[[nodiscard]] std::string JsonString(std::string_view text);

}  // namespace opyard::sim
