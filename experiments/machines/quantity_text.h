// Values of written profiles ("10000000000 B/s"), taken apart and in the units that people use.
#pragma once

#include <optional>
#include <string>

namespace opyard::experiments {

// A number and its unit: "B", "B/s", "FLOP/s", "s", or "" for a bare number.
struct Quantity {
  double value = 0.0;
  std::string unit;
};

// Nothing for text that is no number, or has another unit.
[[nodiscard]] std::optional<Quantity> FindQuantity(const std::string& text);

// "10 GB/s", "16.00 GiB", "9.3 TFLOP/s", "21.500 us"; other text as it is, "(none)" for "".
[[nodiscard]] std::string QuantityText(const std::string& text);

}  // namespace opyard::experiments
