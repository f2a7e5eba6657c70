#include "agents/planning/partitioning/partition_plans.h"

#include <algorithm>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/ranks.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

DeviceId MostConnected(const env::Problem& problem,
                       const GroupGraph& graph,
                       std::size_t group,
                       std::span<const DeviceId> device_of_group) {
  std::vector<double> shared_bytes(problem.hardware().num_devices(), 0.0);
  for (std::size_t e = graph.first_edge[group]; e < graph.first_edge[group + 1]; ++e) {
    shared_bytes[device_of_group[graph.neighbour[e]].index()] += graph.edge_bytes[e];
  }
  return *std::ranges::max_element(problem.AllowedDevices(GroupId(group)),
                                   {},
                                   [&](DeviceId device) { return shared_bytes[device.index()]; });
}

}  // namespace

std::vector<double> SpeedsOf(const env::Problem& problem, std::span<const DeviceId> devices) {
  std::vector<double> speeds;
  for (const DeviceId device : devices) {
    double seconds = 0.0;
    for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
      seconds += problem.costs().time(OpId(i), device).seconds();
    }
    speeds.push_back(seconds > 0.0 ? 1.0 / seconds : 1.0);
  }
  return speeds;
}

env::GroupPlacement PlacementOfParts(const env::Problem& problem,
                                     const GroupGraph& graph,
                                     std::span<const std::size_t> part,
                                     std::span<const DeviceId> devices) {
  env::GroupPlacement placement;
  for (const std::size_t p : part) {
    placement.push_back(devices[p]);
  }
  for (std::size_t group = 0; group < placement.size(); ++group) {
    if (!IsAllowed(problem, group, placement[group])) {
      placement[group] = MostConnected(problem, graph, group, placement);
    }
  }
  return placement;
}

void AddPlansOfPlacement(const env::Problem& problem,
                         const env::GroupPlacement& placement,
                         std::vector<sim::Plan>& plans) {
  sim::Plan plan = ToPlan(problem, {.device_of_group = placement, .priority_of_group = {}});
  AddUnlessPresent(plans, plan);
  if (problem.tasks().scheduling) {
    const TransferTimes transfers(problem);
    const auto ranks = UpwardRanks(problem, transfers, MainDevices(problem));
    env::SetPriorities(plan, env::RanksOf(ranks));
    AddUnlessPresent(plans, std::move(plan));
  }
}

}  // namespace opyard::agents
