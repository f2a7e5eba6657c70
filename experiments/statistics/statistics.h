// Mean and confidence interval of a handful of runs.
#pragma once

#include <optional>
#include <span>

namespace opyard::experiments {

// Means over seeds. `half_width` makes the 95 % confidence interval mean ± half_width, by Student's
// t with n − 1 degrees of freedom; with one value there is none.
struct MeanWithInterval {
  double mean = 0.0;
  std::optional<double> half_width;
};

// Nothing for no values. Sums in the order given.
[[nodiscard]] std::optional<MeanWithInterval> MeanOf(std::span<const double> values);

// The 97.5 % quantile of Student's t distribution, to three digits after the point or better.
// REQUIRES: degrees_of_freedom >= 1.
[[nodiscard]] double StudentQuantile(std::size_t degrees_of_freedom);

}  // namespace opyard::experiments
