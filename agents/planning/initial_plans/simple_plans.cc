#include "agents/planning/initial_plans/simple_plans.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "agents/planning/estimates/ranks.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/action_codec.h"
#include "env/baseline_plans.h"

namespace opyard::agents {
namespace {

// True if both have all groups on one device each, and these do not differ in what a step feels.
bool AreAlike(const env::Problem& problem,
              const env::GroupPlacement& one,
              const env::GroupPlacement& other) {
  const auto is_all_on_one = [](const env::GroupPlacement& placement) {
    return std::ranges::all_of(placement,
                               [&](DeviceId device) { return device == placement.front(); });
  };
  if (one.empty() || !is_all_on_one(one) || !is_all_on_one(other)) {
    return false;
  }
  const sim::HardwareProfile& hardware = problem.hardware();
  return problem.costs().CostAlike(one.front(), other.front()) &&
         hardware.capacity(one.front()) == hardware.capacity(other.front());
}

}  // namespace

std::vector<double> GroupSeconds(const env::Problem& problem) {
  std::vector<double> seconds(NumGroups(problem), 0.0);
  for (const OpId op : problem.graph().topological_order()) {
    seconds[GroupOf(problem, op)] +=
        problem.costs().time(op, problem.first_accelerator()).seconds();
  }
  return seconds;
}

void AddUnlessPresent(env::GroupPlacement placement, std::vector<env::GroupPlacement>& placements) {
  if (std::ranges::find(placements, placement) == placements.end()) {
    placements.push_back(std::move(placement));
  }
}

std::vector<env::GroupPlacement> SingleDevicePlacements(const env::Problem& problem) {
  if (!problem.tasks().placement) {
    return {{}};
  }
  std::vector<env::GroupPlacement> placements;
  for (const sim::Plan& plan : env::SingleDevicePlans(problem)) {
    placements.push_back(DeviceOfGroups(problem, plan.placement));
  }
  return placements;
}

std::vector<env::GroupPlacement> DifferentSingleDevicePlacements(const env::Problem& problem) {
  std::vector<env::GroupPlacement> different;
  for (env::GroupPlacement& placement : SingleDevicePlacements(problem)) {
    const bool is_known = std::ranges::any_of(
        different, [&](const auto& other) { return AreAlike(problem, placement, other); });
    if (!is_known) {
      different.push_back(std::move(placement));
    }
  }
  return different;
}

std::vector<std::size_t> GroupsInTopologicalOrder(const env::Problem& problem) {
  std::vector<std::int32_t> index;
  for (const std::vector<OpId>& ops : OpsOfGroups(problem)) {
    const auto working =
        std::ranges::find_if(ops, [&](OpId op) { return problem.costs().MeanSeconds(op) > 0.0; });
    index.push_back(
        problem.graph().topological_index(working == ops.end() ? ops.front() : *working));
  }
  std::vector<std::size_t> order(index.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t group) { return index[group]; });
  return order;
}

env::GroupPlacement ContiguousSplit(const env::Problem& problem, std::size_t num_parts) {
  const std::vector<double> seconds = GroupSeconds(problem);
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const std::vector<DeviceId> devices = MainDevices(problem);
  env::GroupPlacement placement = DeviceOfGroups(problem, problem.default_placement());
  double before = 0.0;
  for (const std::size_t group : GroupsInTopologicalOrder(problem)) {
    // The part in which the middle of the group's time lies.
    const double middle = before + seconds[group] / 2.0;
    const double share = total > 0.0 ? middle / total : 0.0;
    const auto part = static_cast<std::size_t>(share * static_cast<double>(num_parts));
    const DeviceId device = devices[std::min(part, num_parts - 1)];
    if (IsAllowed(problem, group, device)) {
      placement[group] = device;
    }
    before += seconds[group];
  }
  return placement;
}

std::vector<std::int64_t> LevelsByUpwardRank(const env::Problem& problem, std::int64_t num_levels) {
  const TransferTimes transfers(problem);
  const std::vector<double> ranks = UpwardRanks(problem, transfers, MainDevices(problem));
  std::vector<double> key(NumGroups(problem), 0.0);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    double& greatest = key[GroupOf(problem, OpId(i))];
    greatest = std::max(greatest, ranks[i]);
  }
  std::vector<double> sorted = key;
  std::ranges::sort(sorted);
  std::vector<std::int64_t> levels;
  for (const double value : key) {
    const auto below = std::ranges::lower_bound(sorted, value) - sorted.begin();
    levels.push_back(below * num_levels / static_cast<std::int64_t>(sorted.size()));
  }
  return levels;
}

std::vector<env::GroupPlacement> SimplePlacements(const env::Problem& problem) {
  std::vector<env::GroupPlacement> placements = SingleDevicePlacements(problem);
  if (problem.tasks().placement) {
    for (const std::vector<DeviceId>& devices : DeviceSets(problem)) {
      AddUnlessPresent(ContiguousSplit(problem, devices.size()), placements);
    }
  }
  return placements;
}

std::vector<std::vector<DeviceId>> DeviceSets(const env::Problem& problem) {
  if (!problem.tasks().placement) {
    return {{}};
  }
  const std::vector<DeviceId> all = MainDevices(problem);
  std::vector<std::vector<DeviceId>> sets;
  for (std::size_t count = 2; count < all.size(); count *= 2) {
    sets.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  }
  sets.push_back(all);
  return sets;
}

std::vector<Decisions> InitialPlansOfPlacements(const env::Problem& problem,
                                                std::span<const env::GroupPlacement> placements,
                                                std::int64_t num_levels) {
  std::vector<Decisions> schedules(1);
  if (problem.tasks().scheduling) {
    schedules.resize(2);
    const std::vector<double> ranks =
        UpwardRanks(problem, TransferTimes(problem), MainDevices(problem));
    SetOrder(problem, env::RanksOf(ranks), num_levels, schedules[0]);
    schedules[1].priority_of_group.assign(NumGroups(problem), num_levels / 2);
  }
  std::vector<Decisions> starts;
  for (const env::GroupPlacement& placement : placements) {
    for (const Decisions& schedule : schedules) {
      starts.push_back(schedule);
      starts.back().device_of_group = placement;
      starts.back().fusion_of_group.assign(problem.tasks().fusion ? NumGroups(problem) : 0, 1);
    }
  }
  return starts;
}

std::vector<Decisions> SimpleInitialPlans(const env::Problem& problem, std::int64_t num_levels) {
  return InitialPlansOfPlacements(problem, SimplePlacements(problem), num_levels);
}

}  // namespace opyard::agents
