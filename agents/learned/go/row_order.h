// Orders of rows, sampled and evaluated by a score for each row.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "sim/base/rng.h"

namespace opyard::agents::go {

// K orders of R rows. The place of a row, in [0, R), is how many rows come before it. With scores z
// the next row is each of those that are left with probability exp(z) / Σ exp(z of those left). An
// order π then has
//   ln p(π) = Σ over places i of z(π(i)) − ln Σ over j ≥ i of exp z(π(j))
// (Plackett 1975; Luce 1959). The decision at place i is which row comes there; at the last place
// there is no choice.
struct OrderLogProbs {
  torch::Tensor log_probs;  // [K, R]: of the decision at each place
  torch::Tensor entropy;    // [K, R]: of that decision, given those before it, nats
};

// Samples places int64 [num_samples, R] of `scores` [num_samples or 1, R]: rows sorted by score
// plus a Gumbel variable of their own, −ln −ln u, have that distribution (Yellott 1977; Kool, van
// Hoof, Welling, "Stochastic beams and where to find them", ICML 2019, section 2). Sampled on the
// CPU, sample after sample, row after row; without gradients.
[[nodiscard]] torch::Tensor SampleOrders(const torch::Tensor& scores,
                                         std::int64_t num_samples,
                                         Rng& rng);

// The likeliest order: by falling score, equal ones by row; places int64 [K, R].
[[nodiscard]] torch::Tensor LikeliestOrders(const torch::Tensor& scores);

// The figures of places int64 [K, R] under `scores` [K or 1, R], with gradients. In double
// precision inside, so that scores may lie hundreds apart.
[[nodiscard]] OrderLogProbs EvaluateOrders(const torch::Tensor& scores,
                                           const torch::Tensor& places);

// The level in [0, num_levels) that stands for a place: ⌊num_levels · rows behind it / R⌋, so that
// the first rows have the highest. int64, of the shape of `places`, whose last dimension is R.
[[nodiscard]] torch::Tensor LevelsOfPlaces(const torch::Tensor& places, std::int64_t num_levels);

// The places of rows that are sorted by rising `keys`, equal ones by row: int64, of the shape of
// `keys`, [K, R].
[[nodiscard]] torch::Tensor PlacesByKey(const torch::Tensor& keys);

}  // namespace opyard::agents::go
