#include "agents/genetic/beta_quantiles.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/base/check.h"

namespace opyard::agents {
namespace {

// Keys have 24 bits: beyond 2^−25 on either side no probability is asked for, and no quantile
// differs from 0 or 1.
constexpr double kMostLogit = 17.5;

// ln(1 + e^x) without overflow.
double Softplus(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// The logarithm of the density of the logit of a sample, at `logit`.
double LogDensity(const BetaShape& shape, double logit, double log_beta) {
  return -shape.alpha * Softplus(-logit) - shape.beta * Softplus(logit) - log_beta;
}

double LogBeta(const BetaShape& shape) {
  return std::lgamma(shape.alpha) + std::lgamma(shape.beta) - std::lgamma(shape.alpha + shape.beta);
}

// The continued fraction of I_x(a, b) · a · B(a, b) / (x^a (1 − x)^b), by Lentz's method.
// REQUIRES: x <= (a + 1) / (a + b + 2), where it converges fast.
double ContinuedFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 10'000;
  const auto nonzero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
  double value = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / nonzero(1.0 + even * d);
    c = nonzero(1.0 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / nonzero(1.0 + odd * d);
    c = nonzero(1.0 + odd / c);
    const double factor = d * c;
    value *= factor;
    if (std::abs(factor - 1.0) < 1e-14) {
      break;
    }
  }
  return value;
}

// ln I_x(a, b) for x = 1 / (1 + e^−logit). REQUIRES: as ContinuedFraction.
double LogLowerTail(double a, double b, double logit, double log_beta) {
  const double x = 1.0 / (1.0 + std::exp(-logit));
  return LogDensity({.alpha = a, .beta = b}, logit, log_beta) - std::log(a) +
         std::log(ContinuedFraction(a, b, x));
}

LogProbabilities LogProbabilitiesAt(const BetaShape& shape, double logit, double log_beta) {
  const auto [a, b] = shape;
  const double x = 1.0 / (1.0 + std::exp(-logit));
  if (x <= (a + 1.0) / (a + b + 2.0)) {
    const double below = std::min(LogLowerTail(a, b, logit, log_beta), -1e-300);
    return {.below = below, .above = std::log(-std::expm1(below))};
  }
  const double above = std::min(LogLowerTail(b, a, -logit, log_beta), -1e-300);
  return {.below = std::log(-std::expm1(above)), .above = above};
}

// A logit below which a sample lies with about e^−kMostLogit or less; no less than −kMostLogit. The
// probability is at most x^a / (a B(a, b)), where Newton's method begins: its logarithm is concave
// in the logit, so that no step goes too far.
double LeastLogit(const BetaShape& shape, double log_beta) {
  constexpr int kMostSteps = 8;
  double logit = (-kMostLogit + std::log(shape.alpha) + log_beta) / shape.alpha;
  for (int i = 0; i < kMostSteps && logit > -kMostLogit; ++i) {
    const double below = LogProbabilitiesAt(shape, logit, log_beta).below;
    if (below > -kMostLogit - 1.0) {
      break;
    }
    logit += (-kMostLogit - below) * std::exp(below - LogDensity(shape, logit, log_beta));
  }
  return std::max(-kMostLogit, logit);
}

}  // namespace

LogProbabilities BetaLogProbabilities(const BetaShape& shape, double logit) {
  return LogProbabilitiesAt(shape, logit, LogBeta(shape));
}

BetaQuantiles::BetaQuantiles(const BetaShape& shape) {
  OPYARD_CHECK(IsLegal(shape), "the parameters of a Beta distribution");
  const double log_beta = LogBeta(shape);
  first_ = LeastLogit(shape, log_beta);
  const double last = -LeastLogit({.alpha = shape.beta, .beta = shape.alpha}, log_beta);
  step_ = (last - first_) / static_cast<double>(kNumKnots - 1);
  for (std::size_t i = 0; i < kNumKnots; ++i) {
    const double logit = first_ + step_ * static_cast<double>(i);
    const auto [below, above] = LogProbabilitiesAt(shape, logit, log_beta);
    // d ln(P / (1 − P)) / d logit = density of the logit / (P (1 − P)).
    knots_[i] = {.logit = below - above,
                 .slope = std::exp(below + above - LogDensity(shape, logit, log_beta))};
  }
}

double BetaQuantiles::At(double probability) const {
  return 1.0 / (1.0 + std::exp(-LogitAt(std::log(probability / (1.0 - probability)))));
}

double BetaQuantiles::LogitAt(double logit) const {
  const auto next = std::ranges::upper_bound(knots_, logit, {}, &Knot::logit);
  if (next == knots_.begin()) {
    return first_ + knots_.front().slope * (logit - knots_.front().logit);
  }
  if (next == knots_.end()) {
    return first_ + step_ * static_cast<double>(kNumKnots - 1) +
           knots_.back().slope * (logit - knots_.back().logit);
  }
  const Knot& left = *std::prev(next);
  const double width = next->logit - left.logit;
  const double t = (logit - left.logit) / width;
  const double s = 1.0 - t;
  const double base = first_ + step_ * static_cast<double>(next - knots_.begin() - 1);
  return base + t * t * (3.0 - 2.0 * t) * step_ +
         width * t * s * (s * left.slope - t * next->slope);
}

}  // namespace opyard::agents
