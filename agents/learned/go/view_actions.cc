// Actions of groups: the plan that they are, those of a plan, with equal devices in one order, and
// by how much they ask for too much.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "agents/learned/go/view.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/group_memory.h"
#include "env/action_codec.h"
#include "env/group_placement.h"

namespace opyard::agents::go {
namespace {

// Takes the tasks that are not decided from the fixed plan.
void TakeFixed(const View& view, sim::Plan& plan) {
  if (!view.fixed.has_value()) {
    return;
  }
  const auto is_fixed = [&](Task task) {
    return std::ranges::find(view.tasks, task) == view.tasks.end();
  };
  if (is_fixed(Task::kPlacement)) {
    plan.placement = view.fixed->placement;
  }
  if (is_fixed(Task::kScheduling)) {
    plan.queue = view.fixed->queue;
    plan.op_priority = view.fixed->op_priority;
  }
  if (is_fixed(Task::kFusion)) {
    plan.fusion_priority = view.fixed->fusion_priority;
  }
}

// The actions of groups in the form that Decisions has for priorities and fusions.
template <class T>
std::vector<T> ResolutionsOf(const torch::Tensor& actions) {
  const torch::Tensor levels = actions.contiguous();
  const auto* const first = levels.const_data_ptr<std::int64_t>();
  return std::vector<T>(first, first + levels.numel());
}

env::GroupPlacement DevicesOf(const torch::Tensor& actions) {
  env::GroupPlacement devices;
  for (const std::int64_t device : ResolutionsOf<std::int64_t>(actions)) {
    devices.push_back(DeviceId(static_cast<std::size_t>(device)));
  }
  return devices;
}

torch::Tensor ActionsOf(const env::GroupPlacement& device_of_group) {
  std::vector<std::int64_t> actions;
  for (const DeviceId device : device_of_group) {
    actions.push_back(static_cast<std::int64_t>(device.index()));
  }
  return torch::tensor(actions, torch::kLong);
}

// The mean of what ops have over each group, [G].
torch::Tensor MeanOfGroups(const View& view, const std::vector<std::int64_t>& of_op) {
  const torch::Tensor group =
      torch::tensor(view.problem->grouping().group_of, torch::kLong);  // [N]
  const torch::Tensor sums =
      torch::zeros(view.num_groups(), torch::kDouble)
          .index_add(0, group, torch::tensor(of_op, torch::kLong).to(torch::kDouble));
  return sums / view.num_ops_of_group.to(torch::kDouble);
}

std::vector<std::int64_t> Ranks(const std::vector<std::int64_t>& of_op) {
  return env::RanksOf(std::vector<double>(of_op.begin(), of_op.end()));
}

// The priority of each op as `view` has it with all groups on one level: [N].
std::vector<std::int64_t> RuleOfOps(const View& view) {
  return view.order == nullptr ? std::vector<std::int64_t>(view.problem->graph().num_ops(), 0)
                               : view.order->of_op;
}

// By how many levels each group runs before its place in the order of the view: [G]. A level brings
// an op as far as `per_level` says (decisions.h).
torch::Tensor LevelsOfPriorities(const View& view,
                                 const std::vector<std::int64_t>& priorities,
                                 std::int64_t num_levels) {
  const auto ranks = [&](const std::vector<std::int64_t>& of_op) {
    return MeanOfGroups(view, Ranks(of_op));
  };
  const double num_ops = static_cast<double>(view.problem->graph().num_ops());
  const torch::Tensor ahead = (ranks(priorities) - ranks(RuleOfOps(view))) / num_ops;  // [G]
  const double levels_per_share = static_cast<double>(num_levels) / 2.0;
  return (ahead * levels_per_share + static_cast<double>(num_levels / 2))
      .round()
      .clamp(0, num_levels - 1)
      .to(torch::kLong);
}

torch::Tensor SchedulingOf(const View& view, const Decisions& decisions) {
  std::vector<std::int64_t> of_op;
  for (std::size_t i = 0; i < view.problem->graph().num_ops(); ++i) {
    of_op.push_back(PriorityOf(*view.problem, decisions, OpId(i)));
  }
  if (view.head == PriorityHead::kGumbel) {  // places: the highest priority first
    const torch::Tensor means = MeanOfGroups(view, Ranks(of_op));
    return means.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true).argsort();
  }
  return LevelsOfPriorities(view, of_op, view.num_levels);
}

// The bytes that groups hold on each device: double [D].
torch::Tensor HeldBy(const torch::Tensor& bytes,
                     const torch::Tensor& devices,
                     std::int64_t num_devices) {
  return torch::zeros(num_devices, torch::kDouble).index_add(0, devices, bytes);
}

// Actions of groups, [K, T, G], with placements as `canonical` renames their devices.
template <class Canonical>
torch::Tensor Renamed(const View& view, const torch::Tensor& actions, Canonical canonical) {
  if (view.symmetry == nullptr || view.tasks.front() != Task::kPlacement) {
    return actions;
  }
  torch::Tensor renamed = actions.clone();
  for (std::int64_t i = 0; i < actions.size(0); ++i) {
    renamed[i][0].copy_(ActionsOf(canonical(DevicesOf(actions[i][0]))));
  }
  return renamed;
}

}  // namespace

sim::Plan ToPlan(const View& view, const torch::Tensor& actions) {
  Decisions decisions{
      .device_of_group = {}, .priority_of_group = {}, .fusion_of_group = {}, .order = view.order};
  for (std::size_t i = 0; i < view.tasks.size(); ++i) {
    const torch::Tensor of_groups = actions[static_cast<std::int64_t>(i)];
    switch (view.tasks[i]) {
      case Task::kPlacement:
        decisions.device_of_group = DevicesOf(of_groups);
        break;
      case Task::kScheduling:
        decisions.priority_of_group = ResolutionsOf<std::int64_t>(
            view.head == PriorityHead::kGumbel ? of_groups.max() - of_groups : of_groups);
        break;
      case Task::kFusion:
        decisions.fusion_of_group = ResolutionsOf<std::int32_t>(of_groups);
        break;
    }
  }
  sim::Plan plan = ToPlan(*view.problem, decisions);
  TakeFixed(view, plan);
  return plan;
}

torch::Tensor ActionsOfPlan(const View& view, const sim::Plan& plan) {
  const Decisions decisions = ToDecisions(*view.problem, plan);
  std::vector<torch::Tensor> actions;  // [G] each
  for (const Task task : view.tasks) {
    switch (task) {
      case Task::kPlacement:
        actions.push_back(ActionsOf(decisions.device_of_group));
        break;
      case Task::kScheduling:
        actions.push_back(SchedulingOf(view, decisions));
        break;
      case Task::kFusion:
        actions.push_back(
            torch::tensor(decisions.fusion_of_group, torch::kLong).clamp(0, view.num_levels - 1));
        break;
    }
  }
  return torch::stack(actions);
}

torch::Tensor CanonicalActions(const View& view, const torch::Tensor& actions) {
  return Renamed(view, actions, [&](const env::GroupPlacement& device_of_group) {
    return view.symmetry->Canonical(device_of_group);
  });
}

torch::Tensor CanonicalActions(const View& view,
                               std::size_t resolution,
                               const torch::Tensor& actions) {
  return Renamed(view, actions, [&](const env::GroupPlacement& device_of_group) {
    return view.symmetry->CanonicalByFirstUse(device_of_group, view.groups_by_row[resolution]);
  });
}

torch::Tensor SimplyNamedActions(const View& view,
                                 std::size_t resolution,
                                 const torch::Tensor& actions) {
  return Renamed(view, actions, [&](const env::GroupPlacement& device_of_group) {
    return view.symmetry->NamedByFirstUse(device_of_group, view.groups_by_row[resolution]);
  });
}

std::vector<double> Overshoots(const View& view, const torch::Tensor& actions) {
  std::vector<double> overshoots(static_cast<std::size_t>(actions.size(0)), 0.0);
  if (view.tasks.front() != Task::kPlacement || view.capacities.empty()) {
    return overshoots;
  }
  const RowCapacity& capacity = view.group_capacity;
  for (std::int64_t i = 0; i < actions.size(0); ++i) {
    const torch::Tensor held = HeldBy(capacity.bytes, actions[i][0], capacity.limits.size(0));
    overshoots[static_cast<std::size_t>(i)] =
        std::max((held / capacity.limits.clamp_min(1.0) - 1.0).max().item<double>(), 0.0);
  }
  return overshoots;
}

}  // namespace opyard::agents::go
