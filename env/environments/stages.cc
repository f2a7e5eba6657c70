#include "env/environments/stages.h"

#include <algorithm>
#include <utility>

#include "env/environments/noise.h"
#include "env/evaluation.h"
#include "env/problem_words.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"

namespace opyard::env {
namespace {

EnvironmentOptions Checked(EnvironmentOptions options) {
  Diagnostics diagnostics;
  if (options.graphs.empty()) {
    diagnostics.AddError("graph", "found an empty list, expected at least one graph");
  }
  if (options.machines.empty()) {
    diagnostics.AddError("hardware", "found an empty list, expected at least one machine");
  }
  static_cast<void>(
      ReadTasks(NamesOf(options.settings.tasks), "tasks", diagnostics));  // at least one
  diagnostics.ThrowIfAny();
  CheckNoise(options.noise);
  return options;
}

// Groups by their first ops in topological order.
std::vector<std::int32_t> GroupOrder(const Observation& seen) {
  std::vector<std::int32_t> order;
  std::vector<std::uint8_t> is_in(static_cast<std::size_t>(seen.num_groups), 0);
  for (const std::int64_t op : seen.topological_order) {
    const std::int64_t group = seen.group_id[static_cast<std::size_t>(op)];
    if (std::exchange(is_in[static_cast<std::size_t>(group)], 1) == 0) {
      order.push_back(static_cast<std::int32_t>(group));
    }
  }
  return order;
}

// Fills `first_op` and `ops_by_group`.
void ListOps(Stage& stage) {
  const std::vector<std::int32_t>& group_of = stage.problem->grouping().group_of;
  stage.first_op.assign(static_cast<std::size_t>(stage.num_groups()) + 1, 0);
  for (const std::int32_t group : group_of) {
    ++stage.first_op[static_cast<std::size_t>(group) + 1];
  }
  for (std::size_t group = 1; group < stage.first_op.size(); ++group) {
    stage.first_op[group] += stage.first_op[group - 1];
  }
  std::vector<std::int32_t> next = stage.first_op;
  stage.ops_by_group.resize(group_of.size());
  for (std::size_t op = 0; op < group_of.size(); ++op) {
    std::int32_t& slot = next[static_cast<std::size_t>(group_of[op])];
    stage.ops_by_group[static_cast<std::size_t>(slot++)] = static_cast<std::int32_t>(op);
  }
}

// Fills `group_seconds`, `group_params` and `capacity`.
void SumUp(Stage& stage) {
  const Problem& problem = *stage.problem;
  const std::size_t num_devices = stage.num_devices();
  stage.group_seconds.assign(static_cast<std::size_t>(stage.num_groups()) * num_devices, 0.0);
  stage.group_params.assign(static_cast<std::size_t>(stage.num_groups()), 0);
  for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
    const auto group = static_cast<std::size_t>(problem.grouping().group_of[op]);
    stage.group_params[group] += problem.graph().op(OpId(op)).param_bytes.count;
    for (std::size_t device = 0; device < num_devices; ++device) {
      stage.group_seconds[group * num_devices + device] +=
          problem.costs().time(OpId(op), DeviceId(device)).seconds();
    }
  }
  for (std::size_t device = 0; device < num_devices; ++device) {
    stage.capacity.push_back(problem.hardware().capacity(DeviceId(device)).count);
  }
}

}  // namespace

Stage::Stage(std::shared_ptr<const Problem> asked, std::int32_t num_levels)
    : problem(std::move(asked)),
      codec(problem, num_levels),
      observation(Observe(*problem)),
      reference(FindReference(*problem)),
      group_order(GroupOrder(observation)) {
  sim::Workspace workspace;
  default_ratio =
      RatioOf(EvaluateUncounted(*problem, DefaultPlan(*problem), workspace), reference.score);
  ListOps(*this);
  SumUp(*this);
}

std::span<const std::int32_t> Stage::OpsOf(std::int32_t group) const {
  const auto first = static_cast<std::size_t>(first_op[static_cast<std::size_t>(group)]);
  const auto end = static_cast<std::size_t>(first_op[static_cast<std::size_t>(group) + 1]);
  return std::span(ops_by_group).subspan(first, end - first);
}

Stages::Stages(EnvironmentOptions options) : options_(Checked(std::move(options))) {
  std::vector<std::unique_ptr<Stage>> stages;
  for (const auto& graph : options_.graphs) {
    for (const auto& machine : options_.machines) {
      auto problem = std::make_shared<const Problem>(
          ProblemSpec{.graph = graph, .hardware = machine, .settings = options_.settings});
      stages.push_back(std::make_unique<Stage>(std::move(problem), options_.num_levels));
      const Observation& seen = stages.back()->observation;
      room_.max_ops = std::max(room_.max_ops, seen.num_ops);
      room_.max_edges = std::max(room_.max_edges, seen.num_edges);
      room_.max_devices = std::max(room_.max_devices, seen.num_devices);
      most_groups_ = std::max(most_groups_, static_cast<std::int32_t>(seen.num_groups));
    }
  }
  room_.max_ops = options_.max_ops.value_or(room_.max_ops);
  room_.max_edges = options_.max_edges.value_or(std::max<std::int64_t>(room_.max_edges, 1));
  for (auto& stage : stages) {
    stage->padded = Pad(stage->observation, room_);
    stages_.push_back(std::move(stage));
  }
}

}  // namespace opyard::env
