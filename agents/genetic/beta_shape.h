// The parameters of a Beta distribution.
#pragma once

#include <compare>

namespace opyard::agents {

// Density ∝ x^(alpha − 1) · (1 − x)^(beta − 1) on [0, 1], mean alpha / (alpha + beta); 1 and 1 is
// the uniform distribution.
struct BetaShape {
  double alpha = 1.0;
  double beta = 1.0;
  friend auto operator<=>(const BetaShape&, const BetaShape&) = default;
};

// Between these both parameters must lie: far beyond, keys of 24 bits are 0 or 1, or all the same.
inline constexpr double kLeastBetaParameter = 1e-4;
inline constexpr double kMostBetaParameter = 1e4;

[[nodiscard]] constexpr bool IsLegal(const BetaShape& shape) {
  const auto is_legal = [](double parameter) {
    return parameter >= kLeastBetaParameter && parameter <= kMostBetaParameter;
  };
  return is_legal(shape.alpha) && is_legal(shape.beta);
}

// The Beta distribution with mean `mean` and variance spread · mean · (1 − mean): of all there are
// with this mean, spread 0 gives that without variance, and 1 that on 0 and 1 alone.
// REQUIRES: 0 < mean < 1 and 0 < spread < 1.
[[nodiscard]] constexpr BetaShape BetaOfMean(double mean, double spread) {
  const double sum = (1.0 - spread) / spread;  // alpha + beta
  return {.alpha = mean * sum, .beta = (1.0 - mean) * sum};
}

}  // namespace opyard::agents
