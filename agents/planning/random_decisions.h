// Decisions sampled at random: where searches without a better idea start.
#pragma once

#include <cstdint>

#include "agents/planning/decisions.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Samples each group's decisions uniformly: a device from those allowed (if placement is a task), a
// priority from 0 … num_levels − 1 (if scheduling is a task) and a fusion priority from 0 …
// kNumFusionLevels − 1 (if fusion is a task). All devices come first, then all priorities, then
// fusion.
[[nodiscard]] Decisions RandomDecisions(const env::Problem& problem,
                                        std::int64_t num_levels,
                                        Rng& rng);

}  // namespace opyard::agents
