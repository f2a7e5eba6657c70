// Placements and priorities that need no search: baselines, and where searches start.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/planning/decisions.h"
#include "env/problem.h"

namespace opyard::agents {

// The placements of env::SingleDevicePlans, per group. Where placement is no task: one empty
// placement, which stands for the default.
[[nodiscard]] std::vector<std::vector<DeviceId>> SingleDevicePlacements(
    const env::Problem& problem);

// GroupsInTopologicalOrder, cut into `num_parts` runs of about equal
// time on the first accelerator; run k goes to main device k. Groups that may not be there stay
// where the default placement has them. REQUIRES: 1 <= num_parts <= MainDevices(problem).size().
[[nodiscard]] std::vector<DeviceId> ContiguousSplit(const env::Problem& problem,
                                                    std::size_t num_parts);

// The groups by the topological index of their first op that takes time (else of their first op),
// so that neither Variables nor backward ops, which both may be far away, decide where a group
// stands.
[[nodiscard]] std::vector<std::size_t> GroupsInTopologicalOrder(const env::Problem& problem);

// A priority in [0, num_levels) per group: which quantile the greatest upward rank (ranks.h) among
// its ops lies in.
[[nodiscard]] std::vector<std::int64_t> LevelsByUpwardRank(const env::Problem& problem,
                                                           std::int64_t num_levels);

// Where the search agents start, all alike, so that none of them may lose to these: the
// single-device placements and contiguous splits into 2, 4, 8 … and all main devices; where
// scheduling is a task each of them first with LevelsByUpwardRank, then with equal priorities (on
// one device they tie, and the first is the better one to go on from); where fusion is a task
// everything fuses as in a framework. None of them needs an evaluation to be built; each costs one
// to be judged.
[[nodiscard]] std::vector<Decisions> SimpleStarts(const env::Problem& problem,
                                                  std::int64_t num_levels);

}  // namespace opyard::agents
