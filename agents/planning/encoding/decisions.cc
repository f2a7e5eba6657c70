#include "agents/planning/encoding/decisions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "env/action_codec.h"

namespace opyard::agents {
namespace {

// The greatest value among the ops of each group; 0 for all if there are no values.
template <class T>
std::vector<T> GreatestOfGroups(const env::Problem& problem, const std::vector<T>& of_op) {
  std::vector<T> greatest(NumGroups(problem), of_op.empty() ? T{0} : std::ranges::min(of_op));
  for (std::size_t i = 0; i < of_op.size(); ++i) {
    T& value = greatest[GroupOf(problem, OpId(i))];
    value = std::max(value, of_op[i]);
  }
  return greatest;
}

// True if levels of groups can stand for the priorities of ops.
bool AreLevels(const env::Problem& problem,
               const std::vector<std::int64_t>& of_op,
               const std::vector<std::int64_t>& of_group) {
  for (std::size_t i = 0; i < of_op.size(); ++i) {
    if (of_op[i] < 0 || of_op[i] >= kDefaultLevels ||
        of_op[i] != of_group[GroupOf(problem, OpId(i))]) {
      return false;
    }
  }
  return true;
}

// One stream per device.
void SetSequence(const env::Problem& problem, const std::vector<OpId>& sequence, sim::Plan& plan) {
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order.assign(problem.hardware().num_devices(), std::vector<sim::Stream>(1));
  for (const OpId op : sequence) {
    plan.order[plan.placement[op.index()].index()].front().push_back(op);
  }
}

}  // namespace

sim::Plan ToPlan(const env::Problem& problem, const Decisions& decisions) {
  sim::Plan plan = decisions.device_of_group.empty()
                       ? env::DefaultPlan(problem)
                       : env::PlanFromGroups(problem, decisions.device_of_group);
  if (decisions.sequence != nullptr) {
    SetSequence(problem, *decisions.sequence, plan);
  } else if (!decisions.priority_of_group.empty()) {
    env::SetPriorities(plan, PrioritiesOf(problem, decisions));
  }
  if (!decisions.fusion_of_group.empty()) {
    env::SetFusionLevels(problem, decisions.fusion_of_group, plan);
  }
  return plan;
}

Decisions ToDecisions(const env::Problem& problem, const sim::Plan& plan) {
  Decisions decisions;
  if (problem.tasks().placement) {
    decisions.device_of_group = DeviceOfGroups(problem, plan.placement);
  }
  if (problem.tasks().scheduling) {
    decisions.priority_of_group = GreatestOfGroups(problem, plan.op_priority);
    if (!AreLevels(problem, plan.op_priority, decisions.priority_of_group)) {
      SetOrder(problem, plan.op_priority, kDefaultLevels, decisions);
    }
  }
  if (problem.tasks().fusion) {
    decisions.fusion_of_group = GreatestOfGroups(problem, plan.fusion_priority);
    for (std::int32_t& level : decisions.fusion_of_group) {
      level = std::clamp(level, 0, kNumFusionLevels - 1);
    }
  }
  return decisions;
}

std::optional<Decisions> ToDecisions(const env::Problem& problem,
                                     const std::optional<sim::Plan>& plan) {
  return plan.has_value() ? std::optional(ToDecisions(problem, *plan)) : std::nullopt;
}

Decisions ToDecisions(const env::Problem& problem, const sim::Plan& plan, std::int64_t num_levels) {
  return OnLevels(problem, ToDecisions(problem, plan), num_levels);
}

std::vector<env::GroupPlacement> ElitesOn(const env::Problem& problem,
                                          const SearchContext& context) {
  std::vector<env::GroupPlacement> elites;
  for (const sim::OpPlacement& placement : context.elites) {
    if (problem.tasks().placement) {
      elites.push_back(DeviceOfGroups(problem, placement));
    }
  }
  return elites;
}

std::int64_t PriorityOf(const env::Problem& problem, const Decisions& decisions, OpId op) {
  const std::int64_t level = decisions.priority_of_group[GroupOf(problem, op)];
  const OpOrder* order = decisions.order.get();
  return order == nullptr ? level : order->of_op[op.index()] + order->per_level * level;
}

std::vector<std::int64_t> PrioritiesOf(const env::Problem& problem, const Decisions& decisions) {
  std::vector<std::int64_t> of_op(problem.graph().num_ops());
  for (std::size_t i = 0; i < of_op.size(); ++i) {
    of_op[i] = PriorityOf(problem, decisions, OpId(i));
  }
  return of_op;
}

std::vector<std::int64_t> PrioritiesOfOrder(std::span<const OpId> order) {
  std::vector<std::int64_t> priority_of_op(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    priority_of_op[order[i].index()] = static_cast<std::int64_t>(order.size() - 1 - i);
  }
  return priority_of_op;
}

void DropSequence(const env::Problem& problem, std::int64_t num_levels, Decisions& decisions) {
  if (decisions.sequence != nullptr) {
    SetOrder(problem, PrioritiesOfOrder(*decisions.sequence), num_levels, decisions);
    decisions.sequence = nullptr;
  }
}

std::shared_ptr<const OpOrder> OrderOf(std::span<const std::int64_t> priorities,
                                       std::int64_t num_levels) {
  const std::vector<double> keys(priorities.begin(), priorities.end());
  std::vector<std::int64_t> ranks = env::RanksOf(keys);
  for (std::int64_t& rank : ranks) {
    rank *= num_levels;
  }
  return std::make_shared<const OpOrder>(OpOrder{
      .of_op = std::move(ranks), .per_level = 2 * static_cast<std::int64_t>(priorities.size())});
}

void SetOrder(const env::Problem& problem,
              std::span<const std::int64_t> priorities,
              std::int64_t num_levels,
              Decisions& decisions) {
  decisions.priority_of_group.assign(NumGroups(problem), num_levels / 2);
  decisions.order = OrderOf(priorities, num_levels);
}

Decisions OnLevels(const env::Problem& problem, Decisions decisions, std::int64_t num_levels) {
  if (decisions.order != nullptr) {
    SetOrder(problem, PrioritiesOf(problem, decisions), num_levels, decisions);
  } else {
    decisions.priority_of_group = ToLevels(decisions.priority_of_group, num_levels);
  }
  return decisions;
}

std::vector<std::int64_t> ToLevels(const std::vector<std::int64_t>& priorities,
                                   std::int64_t num_levels) {
  const auto is_level = [&](std::int64_t priority) {
    return priority >= 0 && priority < num_levels;
  };
  if (std::ranges::all_of(priorities, is_level)) {
    return priorities;
  }
  std::vector<std::int64_t> distinct = priorities;
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::vector<std::int64_t> levels;
  for (const std::int64_t priority : priorities) {
    const std::int64_t rank = std::ranges::lower_bound(distinct, priority) - distinct.begin();
    levels.push_back(std::ssize(distinct) <= num_levels ? rank
                                                        : rank * num_levels / std::ssize(distinct));
  }
  return levels;
}

void AddUnlessPresent(std::vector<sim::Plan>& plans, sim::Plan plan) {
  if (std::ranges::find(plans, plan) == plans.end()) {
    plans.push_back(std::move(plan));
  }
}

std::size_t NumGroups(const env::Problem& problem) {
  return static_cast<std::size_t>(problem.grouping().num_groups);
}

std::size_t GroupOf(const env::Problem& problem, OpId op) {
  return static_cast<std::size_t>(problem.grouping().group_of[op.index()]);
}

std::vector<std::vector<OpId>> OpsOfGroups(const env::Problem& problem) {
  std::vector<std::vector<OpId>> ops(NumGroups(problem));
  for (const OpId op : problem.graph().topological_order()) {
    ops[GroupOf(problem, op)].push_back(op);
  }
  return ops;
}

bool IsAllowed(const env::Problem& problem, std::size_t group, DeviceId device) {
  const auto allowed = problem.AllowedDevices(GroupId(group));
  return std::ranges::binary_search(allowed, device);
}

bool HasOnePlan(const env::Problem& problem) {
  if (problem.tasks().fusion) {
    return false;
  }
  if (problem.tasks().scheduling) {
    return NumGroups(problem) == 1 && !problem.tasks().placement;
  }
  if (!problem.tasks().placement) {
    return true;
  }
  for (std::size_t group = 0; group < NumGroups(problem); ++group) {
    if (problem.AllowedDevices(GroupId(group)).size() > 1) {
      return false;
    }
  }
  return true;
}

std::vector<DeviceId> MainDevices(const env::Problem& problem) {
  const auto& devices = problem.hardware().devices;
  const sim::DeviceKind kind = devices[problem.first_accelerator().index()].kind;
  std::vector<DeviceId> result;
  for (const DeviceId device : problem.devices()) {
    if (devices[device.index()].kind == kind) {
      result.push_back(device);
    }
  }
  return result;
}

env::GroupPlacement DeviceOfGroups(const env::Problem& problem,
                                   std::span<const DeviceId> placement) {
  env::GroupPlacement result(NumGroups(problem));
  for (std::size_t i = 0; i < placement.size(); ++i) {
    result[GroupOf(problem, OpId(i))] = placement[i];
  }
  return result;
}

}  // namespace opyard::agents
