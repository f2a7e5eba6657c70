#include "agents/learned/go/view.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "agents/planning/decisions.h"
#include "agents/planning/group_sequence.h"
#include "agents/planning/ranks.h"
#include "agents/planning/stage_sequence.h"
#include "agents/planning/transfer_times.h"
#include "env/action_codec.h"
#include "env/observation.h"
#include "env/reward.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

constexpr std::int32_t kAll = std::numeric_limits<std::int32_t>::max();

std::vector<GoTask> TasksOf(const env::TaskSet& open) {
  std::vector<GoTask> tasks;
  if (open.placement) {
    tasks.push_back(GoTask::kPlacement);
  }
  if (open.scheduling) {
    tasks.push_back(GoTask::kScheduling);
  }
  if (open.fusion) {
    tasks.push_back(GoTask::kFusion);
  }
  return tasks;
}

// Groups merged along edges.
GroupSequence SequenceOf(const env::Problem& problem, std::int32_t max_groups) {
  return MakeGroupSequence(problem, {.rule = GroupingRule::kProblem, .max_groups = max_groups});
}

// The sequences of the levels, from few groups to many.
std::vector<GroupSequence> SequencesOf(const env::Problem& problem, const GoRows& rows) {
  const std::int32_t most = rows.most == 0 ? kAll : static_cast<std::int32_t>(rows.most);
  GroupSequence last = SequenceOf(problem, most);
  std::vector<GroupSequence> sequences;
  for (std::int64_t count = rows.first; count > 0 && 2 * count <= last.num_groups; count *= 2) {
    const auto num_rows = static_cast<std::int32_t>(count);
    sequences.push_back(count <= rows.staged ? MakeStageSequence(problem, num_rows)
                                             : SequenceOf(problem, num_rows));
  }
  sequences.push_back(std::move(last));
  return sequences;
}

// Ops in the order of their upward ranks, as levels are counted from.
std::shared_ptr<const OpOrder> UpwardOrder(const env::Problem& problem, std::int64_t num_levels) {
  const std::vector<double> ranks =
      UpwardRanks(problem, TransferTimes(problem), MainDevices(problem));
  return OrderOf(env::RanksOf(ranks), num_levels);
}

torch::Tensor NumOpsOfGroup(const env::Problem& problem) {
  return torch::bincount(torch::tensor(problem.grouping().group_of, torch::kLong),
                         {},
                         static_cast<std::int64_t>(NumGroups(problem)));
}

// What decides a group's priority or fusion, as Decisions has it.
template <class T>
std::vector<T> LevelsOf(const torch::Tensor& actions) {
  const torch::Tensor levels = actions.contiguous();
  const auto* const first = levels.const_data_ptr<std::int64_t>();
  return std::vector<T>(first, first + levels.numel());
}

std::vector<DeviceId> DevicesOf(const torch::Tensor& actions) {
  std::vector<DeviceId> devices;
  for (const std::int64_t device : LevelsOf<std::int64_t>(actions)) {
    devices.push_back(DeviceId(static_cast<std::size_t>(device)));
  }
  return devices;
}

}  // namespace

GoView MakeGoView(const env::Problem& problem,
                  const GoRows& rows,
                  const GoSizes& sizes,
                  torch::Device device) {
  const env::Observation observation = env::Observe(problem);
  const OpGraph graph = MakeOpGraph(observation);
  GoView view{.problem = &problem,
              .graph = ToDevice(graph, device),
              .devices = ToDevice(MakeDeviceFeatures(observation), device),
              .levels = {},
              .row_of_group = {},
              .tasks = TasksOf(problem.tasks()),
              .order = nullptr,
              .num_ops_of_group = NumOpsOfGroup(problem),
              .reference_score = env::FindReference(problem).score};
  OPYARD_CHECK(!view.tasks.empty(), "something is to be decided");
  for (GroupSequence& sequence : SequencesOf(problem, rows)) {
    view.row_of_group.push_back(torch::tensor(sequence.group_of_problem_group, torch::kLong));
    view.levels.push_back(ToDevice(MakeDecisionRows(graph, std::move(sequence)), device));
  }
  if (problem.tasks().scheduling && sizes.ranked) {
    view.order = UpwardOrder(problem, sizes.levels);
  }
  return view;
}

GoScene SceneOf(const GoView& view, std::size_t level) {
  return {.graph = &view.graph,
          .rows = &view.levels[level],
          .devices = &view.devices,
          .tasks = view.tasks};
}

std::size_t LevelAt(const GoView& view, double used_share) {
  const auto num_levels = static_cast<double>(view.levels.size());
  return std::min(static_cast<std::size_t>(used_share * num_levels), view.levels.size() - 1);
}

torch::Tensor ActionsOfGroups(const GoView& view, std::size_t level, const torch::Tensor& actions) {
  return actions.to(torch::kCPU).index_select(2, view.row_of_group[level]);
}

torch::Tensor ActionsOfRows(const GoView& view, std::size_t level, const torch::Tensor& actions) {
  const DecisionRows& rows = view.levels[level];
  const std::int64_t num_rows = rows.sequence.num_groups;
  const torch::Tensor forbidden = rows.mask.to(torch::kCPU).logical_not();  // [R, D]
  std::vector<torch::Tensor> of_rows;                                       // [R] each
  for (const torch::Tensor& of_groups : actions.flatten(0, 1).unbind()) {
    const bool is_placement = view.tasks[of_rows.size() % view.tasks.size()] == GoTask::kPlacement;
    const std::int64_t num_choices =
        is_placement ? forbidden.size(1) : of_groups.max().item<std::int64_t>() + 1;
    torch::Tensor votes =  // [R, choices]: ops
        torch::bincount(view.row_of_group[level] * num_choices + of_groups,
                        view.num_ops_of_group,
                        num_rows * num_choices)
            .view({num_rows, num_choices});
    if (is_placement) {
      votes.masked_fill_(forbidden, -1.0);
    }
    of_rows.push_back(votes.argmax(1));
  }
  return torch::stack(of_rows)
      .view({actions.size(0), actions.size(1), num_rows})
      .to(rows.mask.device());
}

sim::Plan ToPlan(const GoView& view, const torch::Tensor& actions) {
  Decisions decisions{
      .device_of_group = {}, .priority_of_group = {}, .fusion_of_group = {}, .order = view.order};
  for (std::size_t i = 0; i < view.tasks.size(); ++i) {
    const torch::Tensor of_groups = actions[static_cast<std::int64_t>(i)];
    switch (view.tasks[i]) {
      case GoTask::kPlacement:
        decisions.device_of_group = DevicesOf(of_groups);
        break;
      case GoTask::kScheduling:
        decisions.priority_of_group = LevelsOf<std::int64_t>(of_groups);
        break;
      case GoTask::kFusion:
        decisions.fusion_of_group = LevelsOf<std::int32_t>(of_groups);
        break;
    }
  }
  return ToPlan(*view.problem, decisions);
}

}  // namespace opyard::agents
