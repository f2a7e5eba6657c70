// The advantages of the samples of one update over each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opyard::agents::regal {

// Each reward minus the mean of the others; 0 for a single one.
[[nodiscard]] std::vector<double> OverOthers(std::span<const double> rewards);

// The advantages of K samples with `losses`, [K], in columns of `per_column` that follow each
// other: the samples of a column have their random numbers in common, those of different columns
// are independent.
//
// The credit of a sample is by how much it lowers the least loss among `best_of` samples: the mean
// of max(0, least − loss) over all sets of best_of − 1 samples of other columns. With best_of = 1
// it is the mean loss of the other columns less its own. A population lives on its best members,
// so that more than 1 rewards what is rarely very good over what is always good. The advantage is
// the credit minus the mean credit of the other samples of the column (OverOthers). Then
// Σ advantage · ∇ ln p / K is an unbiased estimate of the gradient of minus the expected least loss
// of best_of samples, divided by best_of. REQUIRES: per_column divides K, 2 columns at least.
// O(K²).
[[nodiscard]] std::vector<double> BestOfAdvantages(std::span<const double> losses,
                                                   std::int64_t per_column,
                                                   std::int64_t best_of);

}  // namespace opyard::agents::regal
