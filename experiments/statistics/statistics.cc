#include "experiments/statistics/statistics.h"

#include <array>
#include <cmath>
#include <numeric>

#include "sim/base/check.h"

namespace opyard::experiments {

double StudentQuantile(std::size_t degrees_of_freedom) {
  OPYARD_CHECK(degrees_of_freedom >= 1, "one value has no spread");
  // The usual table of t(0.975; 1 … 30).
  constexpr std::array<double, 30> kTable = {
      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
      2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees_of_freedom <= kTable.size()) {
    return kTable[degrees_of_freedom - 1];
  }
  // Fisher's expansion around the normal quantile z (Abramowitz and Stegun 26.7.5, two terms).
  constexpr double kZ = 1.959963985;
  constexpr double kZ3 = kZ * kZ * kZ;
  constexpr double kZ5 = kZ3 * kZ * kZ;
  const auto v = static_cast<double>(degrees_of_freedom);
  return kZ + (kZ3 + kZ) / (4 * v) + (5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * v * v);
}

std::optional<MeanWithInterval> MeanOf(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) {
    return MeanWithInterval{.mean = mean};
  }
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  const double deviation = std::sqrt(squares / (n - 1));
  return MeanWithInterval{
      .mean = mean, .half_width = StudentQuantile(values.size() - 1) * deviation / std::sqrt(n)};
}

}  // namespace opyard::experiments
