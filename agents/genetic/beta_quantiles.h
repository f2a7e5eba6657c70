// The inverse of the distribution function of one Beta distribution.
#pragma once

#include <array>
#include <cstddef>

#include "agents/genetic/beta_shape.h"

namespace opyard::agents {

// Maps uniform numbers to numbers with a Beta distribution, so that equal uniform numbers give
// comparable samples from different distributions (common random numbers).
//
// The logit of the quantile is a smooth function of the logit of the probability, and linear in
// both tails. It is tabulated at points evenly spaced in the former, from which the incomplete Beta
// function gives the latter without iteration, and interpolated by cubics with exact slopes
// (Hermite). The distribution of what comes out is nowhere further than 1e-4 from the Beta
// distribution for the shapes that 16 means and 16 variances make, 1e-3 for any shape.
class BetaQuantiles {
 public:
  // Throws InternalError if a parameter lies outside of kLeastBetaParameter … kMostBetaParameter.
  explicit BetaQuantiles(const BetaShape& shape);

  // In [0, 1], increasing in `probability`. REQUIRES: 0 < probability < 1.
  [[nodiscard]] double At(double probability) const;

 private:
  struct Knot {
    double logit = 0.0;  // of the probability
    double slope = 0.0;  // d logit(quantile) / d logit(probability)
  };
  static constexpr std::size_t kNumKnots = 33;

  [[nodiscard]] double LogitAt(double logit) const;

  double first_;  // the logit of the first knot's quantile
  double step_;   // to that of the next
  std::array<Knot, kNumKnots> knots_;
};

// The probability that a sample is at most 1 / (1 + e^−logit), and that it is more, as logarithms:
// the regularised incomplete Beta function by its continued fraction (Abramowitz and Stegun,
// 26.5.8), relative error below 1e-12.
struct LogProbabilities {
  double below;
  double above;
};
[[nodiscard]] LogProbabilities BetaLogProbabilities(const BetaShape& shape, double logit);

}  // namespace opyard::agents
