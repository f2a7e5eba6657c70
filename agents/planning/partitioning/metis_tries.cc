#include "agents/planning/partitioning/metis_tries.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/partitioning/group_graph.h"
#include "agents/planning/partitioning/metis_partition.h"
#include "agents/planning/partitioning/partition_plans.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kEvaluationsPerTry = 40;
constexpr std::int64_t kMostTries = 1'000;
constexpr std::int64_t kMostGroupsInAll = 65'536;  // of all tries: a second of METIS
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

// The tries on one set of devices.
class MetisPlacements::Parts {
 public:
  Parts(const env::Problem& problem,
        const GroupGraph& graph,
        const MetisTries& settings,
        std::vector<DeviceId> devices)
      : devices_(std::move(devices)),
        has_memory_(settings.memory_share.has_value() || settings.balances_memory),
        options_{.num_parts = devices_.size(),
                 .part_shares = SharesOf(SpeedsOf(problem, devices_)),
                 .imbalance = settings.imbalance} {
    if (settings.memory_share.has_value()) {
      const std::vector<double> capacities = CapacitiesOf(problem, devices_);
      options_.memory_shares = SharesOf(capacities);
      memory_room_ = MemoryRoom(graph, capacities, *settings.memory_share);
    } else if (settings.balances_memory) {
      options_.memory_shares = options_.part_shares;
    }
  }

  env::GroupPlacement Next(const env::Problem& problem, const GroupGraph& graph, Rng& rng) {
    if (has_memory_) {
      options_.memory_imbalance = std::max(options_.imbalance, memory_room_);
    }
    env::GroupPlacement placement =
        PlacementOfParts(problem, graph, PartitionGroups(graph, options_), devices_);
    options_.seed = static_cast<std::int32_t>(rng.Below(std::numeric_limits<std::int32_t>::max()));
    options_.imbalance = kFurtherImbalances[num_made_++ % 4];
    if (options_.part_shares.empty() && options_.memory_shares.empty()) {
      rng.Shuffle(std::span(devices_));
    }
    return placement;
  }

 private:
  std::vector<DeviceId> devices_;
  bool has_memory_;
  PartitionOptions options_;
  double memory_room_ = 0.0;
  std::size_t num_made_ = 0;
};

OptionTable<MetisTries> MetisTriesOptions() {
  return OptionTable<MetisTries>(
      {{.name = "tries",
        .field = Whole(&MetisTries::tries, 1, 10'000),
        .meaning =
            "partitions that are made, on all devices, the first 2, 4, 8, … of them in turn; "
            "the best plan counts",
        .paper = "1"},
       {.name = "imbalance",
        .field = Real(&MetisTries::imbalance, 0.001, 10.0),
        .meaning = "the fraction by which a part may exceed its share of the work in the first "
                   "try on each number of devices; the others take 0.1, 0.3, 0.03 and 0.01 in "
                   "turn",
        .paper = "0.03"}});
}

MetisPlacements::MetisPlacements(const env::Problem& problem, const MetisTries& settings)
    : problem_(problem) {
  if (problem.tasks().placement) {
    graph_ = BuildGroupGraph(problem);
    for (std::vector<DeviceId>& devices : DeviceSets(problem)) {
      sets_.emplace_back(problem, graph_, settings, std::move(devices));
    }
    std::ranges::reverse(sets_);  // all devices first
  }
}

MetisPlacements::~MetisPlacements() = default;

env::GroupPlacement MetisPlacements::Next(Rng& rng) {
  if (sets_.empty()) {
    return {};
  }
  return sets_[next_++ % sets_.size()].Next(problem_, graph_, rng);
}

std::vector<env::GroupPlacement> PlacementsByMetis(const env::Problem& problem,
                                                   const MetisTries& settings,
                                                   Rng& rng) {
  MetisPlacements made(problem, settings);
  std::vector<env::GroupPlacement> placements;
  const std::int64_t count = problem.tasks().placement ? settings.tries : 1;
  for (std::int64_t i = 0; i < count; ++i) {
    placements.push_back(made.Next(rng));
  }
  return placements;
}

std::int64_t AffordableTries(const env::Problem& problem,
                             std::int64_t evaluations,
                             std::int64_t least) {
  const auto num_groups = static_cast<std::int64_t>(NumGroups(problem));
  const std::int64_t most =
      std::min(kMostTries, kMostGroupsInAll / std::max<std::int64_t>(1, num_groups));
  return std::clamp(evaluations / kEvaluationsPerTry, least, std::max(least, most));
}

}  // namespace opyard::agents
