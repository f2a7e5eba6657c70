#include "agents/learned/go/view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "agents/learned/go/row_order.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/group_memory.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/grouping/group_sequence.h"
#include "env/action_codec.h"
#include "env/observation.h"
#include "env/reward.h"
#include "sim/base/check.h"

namespace opyard::agents::go {
namespace {

constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();

std::vector<Task> TasksOf(const env::TaskSet& open) {
  std::vector<Task> tasks;
  if (open.placement) {
    tasks.push_back(Task::kPlacement);
  }
  if (open.scheduling) {
    tasks.push_back(Task::kScheduling);
  }
  if (open.fusion) {
    tasks.push_back(Task::kFusion);
  }
  return tasks;
}

// Groups of the problem, merged along edges, or runs of stages.
GroupSequence SequenceOf(const env::Problem& problem, GroupingRule rule, std::int32_t max_groups) {
  return MakeGroupSequence(problem, {.rule = rule, .max_groups = max_groups});
}

// The sequences of the resolutions, from few groups to many.
std::vector<GroupSequence> SequencesOf(const env::Problem& problem, const Rows& rows) {
  const std::int32_t most = rows.most == 0 ? kNoLimit : static_cast<std::int32_t>(rows.most);
  GroupSequence last = SequenceOf(problem, GroupingRule::kProblem, most);
  std::vector<GroupSequence> sequences;
  for (std::int64_t count = rows.first; count > 0 && 2 * count <= last.num_groups; count *= 2) {
    const auto num_rows = static_cast<std::int32_t>(count);
    const auto rule = count <= rows.staged ? GroupingRule::kStages : GroupingRule::kProblem;
    sequences.push_back(SequenceOf(problem, rule, num_rows));
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

// The same where rows are ordered: the ops of one row keep that order.
std::shared_ptr<const OpOrder> OrderWithinRows(const OpOrder& upward) {
  std::vector<double> keys(upward.of_op.begin(), upward.of_op.end());
  return std::make_shared<const OpOrder>(
      OpOrder{.of_op = env::RanksOf(keys), .per_level = std::ssize(keys)});
}

// Rows by the falling mean of `order` over their ops; in topological order if it is null.
torch::Tensor RuleOrder(const DecisionRows& rows, const OpOrder* order) {
  if (order == nullptr) {
    return torch::arange(rows.sequence.num_groups, torch::kLong);
  }
  const torch::Tensor values =  // [1, N, 1]
      torch::tensor(order->of_op, torch::kLong).to(torch::kDouble).view({1, -1, 1});
  const torch::Tensor means =  // [R]
      Scatter(Gather(values, rows.ops), rows.ops, Aggregation::kMean).flatten();
  return means.argsort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
}

// So that the row whose turn it is comes next with probability `prior`, where many are left:
// 1 / Σ over i of exp(−step i) = 1 − exp(−step).
double ScoreStep(double prior) {
  return -std::log(1.0 - prior);
}

torch::Tensor NumOpsOfGroup(const env::Problem& problem) {
  return torch::bincount(torch::tensor(problem.grouping().group_of, torch::kLong),
                         {},
                         static_cast<std::int64_t>(NumGroups(problem)));
}

std::shared_ptr<const DeviceSymmetry> SymmetryOf(const env::Problem& problem) {
  return problem.tasks().placement ? std::make_shared<const DeviceSymmetry>(problem) : nullptr;
}

// The memory that the groups of the problem need and the devices have. Where all groups together
// are more than the main devices hold, these count as larger, so that the excess is shared evenly
// (GroupMemory).
RowCapacity GroupCapacity(const env::Problem& problem) {
  std::vector<double> needs;
  for (const Bytes bytes : GroupBytes(problem)) {
    needs.push_back(static_cast<double>(bytes.count));
  }
  const GroupMemory memory(problem, 1.0);
  std::vector<double> limits;
  for (std::size_t device = 0; device < problem.hardware().num_devices(); ++device) {
    limits.push_back(memory.RoomLeft(DeviceId(device)));
  }
  return {.bytes = torch::tensor(needs, torch::kDouble),
          .limits = torch::tensor(limits, torch::kDouble),
          .mask = {}};
}

// Whether some device could be given more than it holds.
bool IsTight(const RowCapacity& of_groups) {
  return (of_groups.limits < of_groups.bytes.sum()).any().item<bool>();
}

RowCapacity CapacityOfRows(const RowCapacity& of_groups,
                           const torch::Tensor& row_of_group,
                           const DecisionRows& rows) {
  return {.bytes = torch::zeros(rows.sequence.num_groups, torch::kDouble)
                       .index_add(0, row_of_group, of_groups.bytes),
          .limits = of_groups.limits,
          .mask = rows.mask.contiguous()};
}

// The choice of most ops of each row, [R], among those that the row may take; `of_groups`: int64
// [G].
torch::Tensor ChoicesOfMostOps(const View& view,
                               std::size_t resolution,
                               Task task,
                               const torch::Tensor& of_groups) {
  const DecisionRows& rows = view.resolutions[resolution];
  const std::int64_t num_rows = rows.sequence.num_groups;
  const bool is_placement = task == Task::kPlacement;
  const std::int64_t num_choices =
      is_placement ? rows.mask.size(1) : of_groups.max().item<std::int64_t>() + 1;
  torch::Tensor votes =  // [R, choices]: ops
      torch::bincount(view.row_of_group[resolution] * num_choices + of_groups,
                      view.num_ops_of_group,
                      num_rows * num_choices)
          .view({num_rows, num_choices});
  if (is_placement) {
    votes.masked_fill_(rows.mask.to(torch::kCPU).logical_not(), -1.0);
  }
  return votes.argmax(1);
}

// The order of the rows by the mean place of their ops, [R], of equal ones by the rule;
// `of_groups`: places, int64 [G].
torch::Tensor PlacesOfRows(const View& view,
                           std::size_t resolution,
                           const torch::Tensor& of_groups) {
  const torch::Tensor& row = view.row_of_group[resolution];
  const torch::Tensor weights = view.num_ops_of_group.to(torch::kDouble);  // [G]
  const torch::Tensor none =                                               // [R]
      torch::zeros(view.resolutions[resolution].sequence.num_groups, torch::kDouble);
  const torch::Tensor means =  // [R]
      none.index_add(0, row, weights * of_groups) / none.index_add(0, row, weights);
  const torch::Tensor& rule = view.rule_order[resolution];
  const torch::Tensor places = PlacesByKey(means.index_select(0, rule).unsqueeze(0))[0];
  return torch::empty_like(places).index_copy(0, rule, places);
}

// `group_order`, sorted by the rows of the groups.
std::vector<std::size_t> GroupsByRow(std::vector<std::size_t> group_order,
                                     std::span<const std::int32_t> row_of_group) {
  std::ranges::stable_sort(group_order, {}, [&](std::size_t group) { return row_of_group[group]; });
  return group_order;
}

}  // namespace

Rows WithARowForEachAccelerator(const env::Problem& problem, Rows rows) {
  const auto fewest = problem.tasks().placement ? std::ssize(MainDevices(problem)) : 0;
  while (rows.first > 0 && rows.first < fewest) {
    rows.first *= 2;
  }
  return rows;
}

View MakeView(const env::Problem& problem,
              const Rows& rows,
              const Sizes& sizes,
              torch::Device device) {
  const env::Observation observation = env::Observe(problem);
  const OpGraph graph = MakeOpGraph(observation);
  const bool is_ranked = problem.tasks().scheduling && sizes.ranked;
  const auto upward = is_ranked ? UpwardOrder(problem, sizes.levels) : nullptr;
  const bool has_scores = sizes.priority_head == PriorityHead::kGumbel;
  View view{.problem = &problem,
            .graph = ToDevice(graph, device),
            .devices = ToDevice(MakeDeviceFeatures(observation), device),
            .resolutions = {},
            .row_of_group = {},
            .groups_by_row = {},
            .tasks = TasksOf(problem.tasks()),
            .head = sizes.priority_head,
            .order = is_ranked && has_scores ? OrderWithinRows(*upward) : upward,
            .rule_order = {},
            .score_step = is_ranked && has_scores ? ScoreStep(sizes.level_prior) : 0.0,
            .fixed = std::nullopt,
            .num_ops_of_group = NumOpsOfGroup(problem),
            .reference_score = env::FindReference(problem).score,
            .symmetry = SymmetryOf(problem),
            .capacities = {},
            .group_capacity = GroupCapacity(problem),
            .num_levels = sizes.levels};
  OPYARD_CHECK(!view.tasks.empty(), "something is to be decided");
  for (GroupSequence& sequence : SequencesOf(problem, rows)) {
    if (view.symmetry != nullptr) {
      view.groups_by_row.push_back(
          GroupsByRow(view.symmetry->group_order(), sequence.group_of_problem_group));
    }
    view.row_of_group.push_back(torch::tensor(sequence.group_of_problem_group, torch::kLong));
    const DecisionRows resolution = MakeDecisionRows(graph, std::move(sequence));
    view.rule_order.push_back(RuleOrder(resolution, upward.get()));
    if (IsTight(view.group_capacity)) {
      view.capacities.push_back(
          CapacityOfRows(view.group_capacity, view.row_of_group.back(), resolution));
    }
    view.resolutions.push_back(ToDevice(resolution, device));
  }
  return view;
}

PolicyInput PolicyInputOf(const View& view, std::size_t resolution) {
  PolicyInput input{.graph = &view.graph,
                    .rows = &view.resolutions[resolution],
                    .devices = &view.devices,
                    .tasks = view.tasks};
  if (!view.capacities.empty()) {
    input.capacity = &view.capacities[resolution];
  }
  if (view.score_step > 0.0) {
    const torch::Tensor& order = view.rule_order[resolution];
    input.rule_scores =
        torch::zeros(order.size(0))
            .index_copy(0, order, -view.score_step * torch::arange(order.size(0), torch::kFloat))
            .to(input.rows->mask.device());
  }
  return input;
}

std::size_t ResolutionAt(const View& view, double used_share) {
  const auto num_resolutions = static_cast<double>(view.resolutions.size());
  return std::min(static_cast<std::size_t>(used_share * num_resolutions),
                  view.resolutions.size() - 1);
}

torch::Tensor ActionsOfGroups(const View& view,
                              std::size_t resolution,
                              const torch::Tensor& actions) {
  return actions.to(torch::kCPU).index_select(2, view.row_of_group[resolution]);
}

torch::Tensor ActionsOfRows(const View& view,
                            std::size_t resolution,
                            const torch::Tensor& actions) {
  const DecisionRows& rows = view.resolutions[resolution];
  std::vector<torch::Tensor> of_rows;  // [R] each
  for (const torch::Tensor& of_groups : actions.flatten(0, 1).unbind()) {
    const Task task = view.tasks[of_rows.size() % view.tasks.size()];
    of_rows.push_back(task == Task::kScheduling && view.head == PriorityHead::kGumbel
                          ? PlacesOfRows(view, resolution, of_groups)
                          : ChoicesOfMostOps(view, resolution, task, of_groups));
  }
  return torch::stack(of_rows)
      .view({actions.size(0), actions.size(1), rows.sequence.num_groups})
      .to(rows.mask.device());
}

}  // namespace opyard::agents::go
