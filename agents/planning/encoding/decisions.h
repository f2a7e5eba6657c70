// Plans of per-group decisions, and the groups that these are about.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agents/base/decisions.h"
#include "agents/base/search_context.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// Priorities that a group may have, unless options say otherwise.
inline constexpr std::int64_t kDefaultLevels = 20;

// Agents choose fusion priorities from 0 … kNumFusionLevels − 1.
inline constexpr std::int32_t kNumFusionLevels = 20;

// The plan of `decisions`: where a part is empty, the problem's default placement, queue or fusion.
[[nodiscard]] sim::Plan ToPlan(const env::Problem& problem, const Decisions& decisions);

// The decisions that come nearest to `plan`, so that a search can begin there: of a group that the
// plan splits, the device of one of its ops. Priorities are the levels where they can be, in
// [0, kDefaultLevels) and equal in each group; else they become the order.
[[nodiscard]] Decisions ToDecisions(const env::Problem& problem, const sim::Plan& plan);
// Nothing where there is no plan.
[[nodiscard]] std::optional<Decisions> ToDecisions(const env::Problem& problem,
                                                   const std::optional<sim::Plan>& plan);
// The same OnLevels of [0, num_levels).
[[nodiscard]] Decisions ToDecisions(const env::Problem& problem,
                                    const sim::Plan& plan,
                                    std::int64_t num_levels);

// The elites of `context` on the groups of `problem`: of a group that one splits, the device of one
// of its ops. None where placement is no task.
[[nodiscard]] std::vector<env::GroupPlacement> ElitesOn(const env::Problem& problem,
                                                        const SearchContext& context);

// The priority of `op`. REQUIRES: decisions.priority_of_group is not empty.
[[nodiscard]] std::int64_t PriorityOf(const env::Problem& problem,
                                      const Decisions& decisions,
                                      OpId op);

// The same of all ops: [num_ops].
[[nodiscard]] std::vector<std::int64_t> PrioritiesOf(const env::Problem& problem,
                                                     const Decisions& decisions);

// Priorities, [num_ops], by which the ops of `order` come one after the other: num_ops − 1 of the
// first … 0 of the last. REQUIRES: `order` has every op once.
[[nodiscard]] std::vector<std::int64_t> PrioritiesOfOrder(std::span<const OpId> order);

// The order of `priorities`, [num_ops], counted so that `num_levels` levels can bring an op before
// any other from the one in the middle.
[[nodiscard]] std::shared_ptr<const OpOrder> OrderOf(std::span<const std::int64_t> priorities,
                                                     std::int64_t num_levels);

// Every group on the level in the middle, in that order.
void SetOrder(const env::Problem& problem,
              std::span<const std::int64_t> priorities,
              std::int64_t num_levels,
              Decisions& decisions);

// Priorities by the sequence of `decisions` in its place; nothing changes without one.
void DropSequence(const env::Problem& problem, std::int64_t num_levels, Decisions& decisions);

// `decisions` with levels in [0, num_levels): those of ToLevels, or all in the middle of an order.
[[nodiscard]] Decisions OnLevels(const env::Problem& problem,
                                 Decisions decisions,
                                 std::int64_t num_levels);

// `priorities` as levels in [0, num_levels), in the same order, equal ones on one level: themselves
// where they are such levels already.
[[nodiscard]] std::vector<std::int64_t> ToLevels(const std::vector<std::int64_t>& priorities,
                                                 std::int64_t num_levels);

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

// The devices among problem.devices() of the kind of problem.first_accelerator(), ascending: those
// that share the main work.
[[nodiscard]] std::vector<DeviceId> MainDevices(const env::Problem& problem);

// The device of each group under `placement`, [num_ops]. REQUIRES: groups are not split.
[[nodiscard]] env::GroupPlacement DeviceOfGroups(const env::Problem& problem,
                                                 std::span<const DeviceId> placement);

}  // namespace opyard::agents
