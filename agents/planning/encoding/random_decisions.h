// Decisions sampled at random: where searches without a better idea start.
#pragma once

#include <cstdint>

#include "agents/planning/encoding/decisions.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Samples, per group and uniformly, the decisions that are tasks: a device from those allowed, a
// priority from 0 … num_levels − 1 and a fusion priority from 0 … kNumFusionLevels − 1. All devices
// come first, then all priorities, then fusion.
[[nodiscard]] Decisions RandomDecisions(const env::Problem& problem,
                                        std::int64_t num_levels,
                                        Rng& rng);

}  // namespace opyard::agents
