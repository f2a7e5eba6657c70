// What agents that decide per group choose, and the plan it makes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// One choice per group of problem.grouping(), for each open task.
struct Decisions {
  std::vector<DeviceId> device_of_group;        // [num_groups]; empty if placement is no task
  std::vector<std::int64_t> priority_of_group;  // [num_groups]; empty if scheduling is no task
  std::vector<std::int32_t> fusion_of_group;    // [num_groups], 0 declines; empty if fusion is none
  friend bool operator==(const Decisions&, const Decisions&) = default;
};

// Agents choose fusion priorities from 0 … kNumFusionLevels − 1.
inline constexpr std::int32_t kNumFusionLevels = 20;

// The plan of `decisions`: where a part is empty, the problem's default placement, queue or fusion.
[[nodiscard]] sim::Plan ToPlan(const env::Problem& problem, const Decisions& decisions);

// Appends `plan` to `plans` unless an equal one is there, which would be an evaluation for nothing.
void AddUnlessPresent(std::vector<sim::Plan>& plans, sim::Plan plan);

[[nodiscard]] std::size_t NumGroups(const env::Problem& problem);
[[nodiscard]] std::size_t GroupOf(const env::Problem& problem, OpId op);
// The ops of each group, ascending by topological index.
[[nodiscard]] std::vector<std::vector<OpId>> OpsOfGroups(const env::Problem& problem);

// True if `device` is among problem.AllowedDevices(group).
[[nodiscard]] bool IsAllowed(const env::Problem& problem, std::size_t group, DeviceId device);

// True if only one plan can come of per-group decisions, so that there is nothing to search.
[[nodiscard]] bool HasOnePlan(const env::Problem& problem);

// The devices of the kind of problem.first_accelerator(), ascending: those that share the main
// work.
[[nodiscard]] std::vector<DeviceId> MainDevices(const env::Problem& problem);

// The device of each group under `placement`, [num_ops]. REQUIRES: groups are not split.
[[nodiscard]] std::vector<DeviceId> DeviceOfGroups(const env::Problem& problem,
                                                   std::span<const DeviceId> placement);

}  // namespace opyard::agents
