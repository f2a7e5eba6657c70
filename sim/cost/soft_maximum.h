// The soft maximum of the roofline: (a^q + b^q)^(1/q).
#pragma once

#include <algorithm>
#include <cmath>

namespace opyard::sim {

// From this exponent on the soft maximum is the plain one.
inline constexpr double kHardMaximumQ = 1e9;

// Between max(a, b) and a + b, whatever the exponent: scaled by the greater term, so that nothing
// overflows and no power of zero is taken. REQUIRES: a, b ≥ 0 and not NaN, q ≥ 1.
[[nodiscard]] inline double SoftMaximum(double a, double b, double q) {
  const double greater = std::max(a, b);
  const double smaller = std::min(a, b);
  if (smaller == 0.0 || q >= kHardMaximumQ || std::isinf(greater)) {
    return greater;
  }
  const double power = std::pow(smaller / greater, q);
  return greater * std::exp(std::log1p(power) / q);
}

}  // namespace opyard::sim
