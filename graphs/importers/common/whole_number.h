// Whole numbers in text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace opyard::graphs {

// Nothing for what is no whole number from 0 to 2^63 - 1.
[[nodiscard]] inline std::optional<std::int64_t> WholeNumber(std::string_view word) {
  std::int64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  const bool is_number = !word.empty() && error == std::errc() && stop == end && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace opyard::graphs
