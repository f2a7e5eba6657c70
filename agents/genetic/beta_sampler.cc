#include "agents/genetic/beta_sampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

constexpr double kLog4 = 2.0 * std::numbers::ln2;
constexpr double kLog5 = 1.6094379124341003;
// Beyond, e^v leaves the doubles; the tests do not change any more.
constexpr double kMostExponent = 700.0;

// Uniform in (0, 1), both ends left out: 52 bits and the middle between two of them.
double OpenUniform(Rng& rng) {
  return (static_cast<double>(rng.Next() >> 12U) + 0.5) * 0x1p-52;
}

}  // namespace

BetaSampler::BetaSampler(const BetaShape& shape)
    : is_small_(std::min(shape.alpha, shape.beta) <= 1.0),
      is_swapped_(is_small_ ? shape.alpha < shape.beta : shape.alpha > shape.beta),
      first_(is_swapped_ ? shape.beta : shape.alpha),
      second_(is_swapped_ ? shape.alpha : shape.beta),
      sum_(shape.alpha + shape.beta),
      slope_(is_small_ ? 1.0 / second_
                       : std::sqrt((sum_ - 2.0) / (2.0 * first_ * second_ - sum_))) {
  OPYARD_CHECK(IsLegal(shape), "the parameters of a Beta distribution");
  if (is_small_) {
    const double delta = 1.0 + first_ - second_;
    k1_ = delta * (1.0 / 72.0 + second_ / 24.0) / (first_ * slope_ - 7.0 / 9.0);
    k2_ = 0.25 + (0.5 + 0.25 / delta) * second_;
  } else {
    gamma_ = first_ + 1.0 / slope_;
  }
}

double BetaSampler::SampleBB(Rng& rng) const {
  while (true) {
    const double u1 = OpenUniform(rng);
    const double z = u1 * u1 * OpenUniform(rng);
    const double v = slope_ * std::log(u1 / (1.0 - u1));
    const double w = first_ * std::exp(v);  // |v| < 40
    const double r = gamma_ * v - kLog4;
    const double s = first_ + r - w;
    // The first two tests are cheap and never accept what the third would not.
    if (s + 1.0 + kLog5 >= 5.0 * z || s >= std::log(z) ||
        r + sum_ * std::log(sum_ / (second_ + w)) >= std::log(z)) {
      return FromOdds(w);
    }
  }
}

bool BetaSampler::IsUnderDensity(double v, double w, double z) const {
  return sum_ * (std::log(sum_ / (second_ + w)) + v) - kLog4 >= std::log(z);
}

double BetaSampler::SampleBC(Rng& rng) const {
  while (true) {
    const double u1 = OpenUniform(rng);
    const double u2 = OpenUniform(rng);
    const double y = u1 * u2;
    const double z = u1 * y;
    const bool is_low = u1 < 0.5;
    if (is_low ? 0.25 * u2 + z - y >= k1_ : z >= std::max(k2_, 0.25)) {
      continue;
    }
    const double v = std::min(slope_ * std::log(u1 / (1.0 - u1)), kMostExponent);
    const double w = first_ * std::exp(v);
    if ((!is_low && z <= 0.25) || IsUnderDensity(v, w, z)) {
      return FromOdds(w);
    }
  }
}

}  // namespace opyard::agents
