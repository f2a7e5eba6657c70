// What BRKGA's keys mean.
#pragma once

#include <span>

#include "agents/planning/decisions.h"
#include "agents/search/brkga/population.h"
#include "env/problem.h"

namespace opyard::agents {

// Keys: affinities [num_groups, num_devices] row-major (if placement is a task), then priorities
// [num_groups] (if scheduling is a task), then fusion [num_groups] (if fusion is a task). A group
// goes to the device of its greatest affinity among those it may be on, the first of equals;
// priorities become ranks, fusion keys one of twenty levels of equal width. Keeps a reference to
// `problem`.
class KeyDecoder {
 public:
  explicit KeyDecoder(const env::Problem& problem);

  [[nodiscard]] std::size_t num_keys() const {
    return num_affinities_ + num_priorities_ + num_fusions_;
  }
  [[nodiscard]] Decisions Decode(std::span<const float> keys) const;
  // Random keys that decode to `decisions`; the chosen device has a key in [0.5, 1), the others in
  // [0, 0.5). Priorities keep their order; equal ones come in random order.
  [[nodiscard]] Chromosome Encode(const Decisions& decisions, Rng& rng) const;

 private:
  const env::Problem& problem_;
  std::size_t num_devices_;
  std::size_t num_affinities_;
  std::size_t num_priorities_;
  std::size_t num_fusions_;
};

}  // namespace opyard::agents
