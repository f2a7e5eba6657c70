#include "agents/planning/metis_tries.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "agents/planning/decisions.h"
#include "agents/planning/group_graph.h"
#include "agents/planning/metis_partition.h"
#include "agents/planning/partition_plans.h"

namespace opyard::agents {
namespace {

constexpr double kFurtherImbalances[] = {0.1, 0.3, 0.03, 0.01};

// In proportion to `values`; none if all are alike.
std::vector<double> SharesOf(std::vector<double> values) {
  if (std::ranges::adjacent_find(values, std::not_equal_to()) == values.end()) {
    return {};
  }
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& share : values) {
    share /= sum;
  }
  return values;
}

std::vector<double> CapacitiesOf(const env::Problem& problem, std::span<const DeviceId> devices) {
  std::vector<double> capacities;
  for (const DeviceId device : devices) {
    capacities.push_back(static_cast<double>(problem.hardware().capacity(device).count));
  }
  return capacities;
}

// By which fraction the greatest part may exceed its share of the groups' memory so that it fills
// `memory_share` of its device; never beyond all of it.
double MemoryRoom(const GroupGraph& graph,
                  const std::vector<double>& capacities,
                  double memory_share) {
  double need = 0.0;
  for (const Bytes bytes : graph.memory) {
    need += static_cast<double>(bytes.count);
  }
  const double capacity = std::accumulate(capacities.begin(), capacities.end(), 0.0);
  return std::min(memory_share * capacity / std::max(need, 1.0),
                  static_cast<double>(capacities.size())) -
         1.0;
}

}  // namespace

OptionTable<MetisTries> MetisTriesOptions() {
  return OptionTable<MetisTries>(
      {{.name = "tries",
        .field = Whole(&MetisTries::tries, 1, 10'000),
        .meaning = "partitions that are made; the best plan counts",
        .paper = "1"},
       {.name = "imbalance",
        .field = Real(&MetisTries::imbalance, 0.001, 10.0),
        .meaning = "the fraction by which a part may exceed its share of the work in the first "
                   "try; the others take 0.1, 0.3, 0.03 and 0.01 in turn",
        .paper = "0.03"}});
}

std::vector<std::vector<DeviceId>> PlacementsByMetis(const env::Problem& problem,
                                                     const MetisTries& settings,
                                                     Rng& rng) {
  if (!problem.tasks().placement) {
    return {{}};
  }
  const GroupGraph graph = BuildGroupGraph(problem);
  std::vector<DeviceId> devices = MainDevices(problem);
  PartitionOptions options{.num_parts = devices.size(),
                           .part_shares = SharesOf(SpeedsOf(problem, devices)),
                           .imbalance = settings.imbalance};
  double memory_room = 0.0;
  if (settings.memory_share.has_value()) {
    const std::vector<double> capacities = CapacitiesOf(problem, devices);
    options.memory_shares = SharesOf(capacities);
    memory_room = MemoryRoom(graph, capacities, *settings.memory_share);
  } else if (settings.balances_memory) {
    options.memory_shares = options.part_shares;
  }
  const bool has_memory = settings.memory_share.has_value() || settings.balances_memory;
  const bool are_alike = options.part_shares.empty() && options.memory_shares.empty();
  std::vector<std::vector<DeviceId>> placements;
  for (std::int64_t i = 0; i < settings.tries; ++i) {
    if (has_memory) {
      options.memory_imbalance = std::max(options.imbalance, memory_room);
    }
    placements.push_back(
        PlacementOfParts(problem, graph, PartitionGroups(graph, options), devices));
    options.seed = static_cast<std::int32_t>(rng.Below(std::numeric_limits<std::int32_t>::max()));
    options.imbalance = kFurtherImbalances[static_cast<std::size_t>(i) % 4];
    if (are_alike) {
      rng.Shuffle(std::span(devices));
    }
  }
  return placements;
}

}  // namespace opyard::agents
