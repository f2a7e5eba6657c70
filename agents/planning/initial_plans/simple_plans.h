// Placements and priorities that need no search: baselines, and where searches start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "env/group_placement.h"
#include "env/problem.h"

namespace opyard::agents {

// The placements of env::SingleDevicePlans, per group. Where placement is no task: one empty
// placement, which stands for the default.
[[nodiscard]] std::vector<env::GroupPlacement> SingleDevicePlacements(const env::Problem& problem);

// SingleDevicePlacements without those whose step another is known to take as well. Among
// placements that have all groups on devices which differ in their names and links alone, the first
// one stays, since nothing is sent.
[[nodiscard]] std::vector<env::GroupPlacement> DifferentSingleDevicePlacements(
    const env::Problem& problem);

// The time of each group on the first accelerator.
[[nodiscard]] std::vector<double> GroupSeconds(const env::Problem& problem);

// GroupsInTopologicalOrder, cut into `num_parts` runs of about equal
// time on the first accelerator; run k goes to main device k. Groups that may not be there stay
// where the default placement has them. REQUIRES: 1 <= num_parts <= MainDevices(problem).size().
[[nodiscard]] env::GroupPlacement ContiguousSplit(const env::Problem& problem,
                                                  std::size_t num_parts);

// The groups by the topological index of their first op that takes time (else of their first op),
// so that neither Variables nor backward ops, which both may be far away, decide where a group
// stands.
[[nodiscard]] std::vector<std::size_t> GroupsInTopologicalOrder(const env::Problem& problem);

// A priority in [0, num_levels) per group: which quantile the greatest upward rank (ranks.h) among
// its ops lies in.
[[nodiscard]] std::vector<std::int64_t> LevelsByUpwardRank(const env::Problem& problem,
                                                           std::int64_t num_levels);

// The first 2, 4, 8, … main devices, and all of them: more than help make a step slower. Where
// placement is no task, one empty set, which stands for all devices.
[[nodiscard]] std::vector<std::vector<DeviceId>> DeviceSets(const env::Problem& problem);

// The single-device placements and contiguous splits into as many parts as DeviceSets has devices.
[[nodiscard]] std::vector<env::GroupPlacement> SimplePlacements(const env::Problem& problem);

// Appends `placement` unless an equal one is there.
void AddUnlessPresent(env::GroupPlacement placement, std::vector<env::GroupPlacement>& placements);

// Each placement with ops in the order of their upward ranks (ranks.h), then with equal priorities,
// where scheduling is a task. (On one device they tie, and the first is the better one to go on
// from.) Everything is fused as in a framework where fusion is a task.
[[nodiscard]] std::vector<Decisions> InitialPlansOfPlacements(
    const env::Problem& problem,
    std::span<const env::GroupPlacement> placements,
    std::int64_t num_levels);

// Where searches may start without an evaluation or a random number: InitialPlansOfPlacements of
// SimplePlacements. Each costs an evaluation to be evaluated.
[[nodiscard]] std::vector<Decisions> SimpleInitialPlans(const env::Problem& problem,
                                                        std::int64_t num_levels);

}  // namespace opyard::agents
