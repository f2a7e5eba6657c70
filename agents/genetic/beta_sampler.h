// Samples from one Beta distribution.
#pragma once

#include "agents/genetic/beta_shape.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Exact, by rejection: algorithms BB (both parameters above 1) and BC (else) of Cheng, "Generating
// Beta Variates with Nonintegral Shape Parameters" (CACM 21, 1978). Samples are a function of the
// generator alone. Like Rng::Normal they go through the C library's logarithm, whose last bit
// differs between libraries: of keys of 24 bits, that is one in hundreds of millions.
class BetaSampler {
 public:
  // Throws InternalError if a parameter lies outside of kLeastBetaParameter … kMostBetaParameter.
  explicit BetaSampler(const BetaShape& shape);

  // In [0, 1].
  [[nodiscard]] double Sample(Rng& rng) const { return is_small_ ? SampleBC(rng) : SampleBB(rng); }

 private:
  [[nodiscard]] double SampleBB(Rng& rng) const;
  [[nodiscard]] double SampleBC(Rng& rng) const;
  // BC's test of the pair with logit `v` and odds `w` against the density.
  [[nodiscard]] bool IsUnderDensity(double v, double w, double z) const;
  // `w` are the odds of the first parameter against the second, times the second.
  [[nodiscard]] double FromOdds(double w) const {
    return is_swapped_ ? second_ / (second_ + w) : w / (second_ + w);
  }

  bool is_small_;    // some parameter is at most 1: algorithm BC
  bool is_swapped_;  // `first_` is beta
  double first_;     // BB: the lesser parameter, BC: the greater one
  double second_;    // the other one
  double sum_;       // alpha + beta
  double slope_;     // the paper's β: of the logit
  double gamma_ = 0.0;
  double k1_ = 0.0;
  double k2_ = 0.0;
};

}  // namespace opyard::agents
