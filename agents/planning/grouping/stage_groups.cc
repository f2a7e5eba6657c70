#include "agents/planning/grouping/stage_groups.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/contiguous_blocks.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/initial_plans/stages.h"
#include "sim/base/check.h"
#include "sim/graph/group_numbers.h"

namespace opyard::agents {
namespace {

std::vector<double> SecondsOfStages(const Stages& stages, const std::vector<double>& seconds) {
  std::vector<double> of_stages(stages.num_stages, 0.0);
  for (std::size_t group = 0; group < seconds.size(); ++group) {
    of_stages[stages.stage_of_group[group]] += seconds[group];
  }
  return of_stages;
}

// The run of each stage: `count` blocks of whole stages.
std::vector<std::size_t> RunsOfStages(const std::vector<double>& seconds, std::size_t count) {
  std::vector<StageLoad> loads;
  for (const double of_stage : seconds) {
    loads.push_back({.seconds = of_stage});
  }
  return BalancedBlocks(loads, std::vector<BlockDevice>(count));
}

// Runs of each stage where there are more runs than stages: one each, and the others by time.
std::vector<std::size_t> RunsPerStage(const std::vector<double>& seconds, std::size_t count) {
  std::vector<std::size_t> runs(seconds.size(), 1);
  for (std::size_t left = count - runs.size(); left > 0; --left) {
    std::size_t longest = 0;
    for (std::size_t stage = 1; stage < runs.size(); ++stage) {
      if (seconds[stage] * static_cast<double>(runs[longest]) >
          seconds[longest] * static_cast<double>(runs[stage])) {
        longest = stage;
      }
    }
    ++runs[longest];
  }
  return runs;
}

// The groups by place in the forward pass, those of one place in topological order.
std::vector<std::size_t> ByPlace(const env::Problem& problem) {
  const Stages places = ForwardStages(problem);
  std::vector<std::size_t> order = GroupsInTopologicalOrder(problem);
  std::ranges::stable_sort(
      order, {}, [&](std::size_t group) { return places.stage_of_group[group]; });
  return order;
}

// Each stage cut into runs of equal times, by place.
std::vector<std::size_t> CutStages(const env::Problem& problem,
                                   const Stages& stages,
                                   const std::vector<double>& seconds,
                                   std::size_t count) {
  const std::vector<double> of_stages = SecondsOfStages(stages, seconds);
  const std::vector<std::size_t> runs = RunsPerStage(of_stages, count);
  std::vector<std::size_t> run_of_group(seconds.size());
  std::vector<double> before(stages.num_stages, 0.0);
  for (const std::size_t group : ByPlace(problem)) {
    const std::size_t stage = stages.stage_of_group[group];
    const double middle = before[stage] + seconds[group] / 2.0;
    before[stage] += seconds[group];
    const double share = of_stages[stage] > 0.0 ? middle / of_stages[stage] : 0.0;
    const auto part = static_cast<std::size_t>(share * static_cast<double>(runs[stage]));
    run_of_group[group] = stage * count + std::min(part, runs[stage] - 1);
  }
  return run_of_group;
}

std::vector<std::size_t> RunsOfGroups(const env::Problem& problem, std::size_t count) {
  const std::vector<double> seconds = GroupSeconds(problem);
  const Stages one{.stage_of_group = std::vector<std::size_t>(seconds.size(), 0), .num_stages = 1};
  const Stages stages = LayerStages(problem).value_or(one);
  if (stages.num_stages <= count) {
    return CutStages(problem, stages, seconds, count);
  }
  const std::vector<std::size_t> runs = RunsOfStages(SecondsOfStages(stages, seconds), count);
  std::vector<std::size_t> run_of_group;
  for (const std::size_t stage : stages.stage_of_group) {
    run_of_group.push_back(runs[stage]);
  }
  return run_of_group;
}

// A label for each group of the problem: its run, and the devices that it may use.
std::vector<std::int32_t> LabelsOfGroups(const env::Problem& problem, std::int32_t count) {
  const std::vector<std::size_t> runs = RunsOfGroups(problem, static_cast<std::size_t>(count));
  std::map<std::pair<std::vector<DeviceId>, std::size_t>, std::int32_t> labels;
  std::vector<std::int32_t> label_of_group;
  for (std::size_t group = 0; group < runs.size(); ++group) {
    const auto allowed = problem.AllowedDevices(GroupId(group));
    const std::size_t run = allowed.size() > 1 ? runs[group] : 0;
    const auto next = static_cast<std::int32_t>(labels.size());
    const auto [at, is_new] =
        labels.try_emplace({std::vector<DeviceId>(allowed.begin(), allowed.end()), run}, next);
    label_of_group.push_back(at->second);
  }
  return label_of_group;
}

}  // namespace

sim::Grouping StageGroups(const env::Problem& problem, std::int32_t count) {
  OPYARD_CHECK(count >= 1, "at least one group");
  const std::vector<std::int32_t> labels = LabelsOfGroups(problem, count);
  std::vector<std::int32_t> label_of_op;
  for (const std::int32_t group : problem.grouping().group_of) {
    label_of_op.push_back(labels[static_cast<std::size_t>(group)]);
  }
  return sim::NumberedByFirstOp(
      problem.graph(), label_of_op, static_cast<std::size_t>(std::ranges::max(labels)) + 1);
}

}  // namespace opyard::agents
