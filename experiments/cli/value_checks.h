// Checks of the values on the command line.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

namespace opyard::experiments {

// CLI11's own numbers take octal, hexadecimal, infinity and what overflows; ours are plain.
[[nodiscard]] CLI::Validator WholeNumber(std::int64_t low, std::int64_t high);
[[nodiscard]] CLI::Validator PositiveSeconds();
[[nodiscard]] CLI::Validator PositiveNumber();

}  // namespace opyard::experiments
