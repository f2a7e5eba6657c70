#include "experiments/cli/value_checks.h"

#include <charconv>
#include <cmath>

#include "sim/base/options.h"
#include "sim/base/quote.h"
#include "sim/base/units.h"

namespace opyard::experiments {

CLI::Validator WholeNumber(std::int64_t low, std::int64_t high) {
  return {[low, high](const std::string& word) -> std::string {
            std::int64_t value = 0;
            const char* end = word.data() + word.size();
            const auto [stop, error] = std::from_chars(word.data(), end, value);
            const bool has_leading_zero = word.size() > 1 && word.front() == '0';
            const bool is_legal = error == std::errc() && stop == end && !has_leading_zero &&
                                  value >= low && value <= high;
            return is_legal ? ""
                            : "found " + Quoted(word) + ", expected a whole number in [" +
                                  std::to_string(low) + ", " + std::to_string(high) + "]";
          },
          "N"};
}

CLI::Validator PositiveSeconds() {
  return {[](const std::string& word) -> std::string {
            double value = 0.0;
            const char* end = word.data() + word.size();
            const auto [stop, error] = std::from_chars(word.data(), end, value);
            const bool is_legal =
                error == std::errc() && stop == end && value >= 0.001 && value <= kLargestSeconds;
            return is_legal ? ""
                            : "found " + Quoted(word) + ", expected seconds in [0.001, " +
                                  ToText(kLargestSeconds) + "]";
          },
          "S"};
}

CLI::Validator PositiveNumber() {
  return {[](const std::string& word) -> std::string {
            double value = 0.0;
            const char* end = word.data() + word.size();
            const auto [stop, error] = std::from_chars(word.data(), end, value);
            const bool is_legal =
                error == std::errc() && stop == end && value > 0.0 && std::isfinite(value);
            return is_legal ? "" : "found " + Quoted(word) + ", expected a number above 0";
          },
          "X"};
}

}  // namespace opyard::experiments
