// Plans of rules that say which ready op runs first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "env/evaluator.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// Appends `plan` with priorities in the order of `key`, [num_ops], the greatest first, unless it is
// there.
void AddPlanWithPriorities(sim::Plan plan,
                           std::span<const double> key,
                           std::vector<sim::Plan>& plans);

// The priorities of an order (PrioritiesOfOrder, encoding/decisions.h) as a key for list scheduling
// (list_schedule.h). [num_ops]
[[nodiscard]] std::vector<double> KeyOfOrder(std::span<const OpId> order);

// The placement that list scheduling made, and the priorities of the ops in its list.
struct ListPlan {
  env::GroupPlacement device_of_group;   // [num_groups]; counts only where placement is a task
  std::vector<std::int64_t> priorities;  // [num_ops]
};

// Appends the plans of a list schedule unless they are there: its placement (where placement is no
// task, the default one) with the problem's default queue, and where scheduling is a task with its
// priorities.
void AddListPlans(const env::Problem& problem, const ListPlan& made, std::vector<sim::Plan>& plans);

// The key of a rule, the greatest first: a function of the placement, [num_ops], that gives
// [num_ops].
using MakeKey = std::function<std::vector<double>(std::span<const DeviceId> placement)>;

// Evaluates one plan: the problem's default one, where scheduling is a task with priorities in the
// order of `make_key`.
void EvaluatePriorityRule(const env::Problem& problem,
                          env::Evaluator& evaluator,
                          const MakeKey& make_key);

// Like EvaluatePriorityRule, but with placements of our own where placement is a task: HEFT's, by
// upward ranks, with the times and views of aware planners (aware_search.h), within memory where
// none completes without that; and each device alone.
void EvaluatePriorityRuleWherePlaced(const env::Problem& problem,
                                     env::Evaluator& evaluator,
                                     const MakeKey& make_key);

}  // namespace opyard::agents
