#include "agents/classical/metis_agent.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "agents/classical/metis_partition.h"
#include "agents/classical/ranks.h"
#include "agents/decisions.h"
#include "env/action_codec.h"

namespace opyard::agents {
namespace {

constexpr double kFurtherImbalances[] = {0.1, 0.3, 0.03, 0.01};

// Shares in proportion to speed: the reciprocal of each device's time for all the work.
std::vector<double> ShareOfDevices(const env::Problem& problem, std::span<const DeviceId> devices) {
  std::vector<double> speed;
  for (const DeviceId device : devices) {
    double seconds = 0.0;
    for (std::size_t i = 0; i < problem.graph().num_ops(); ++i) {
      seconds += problem.costs().time(OpId(i), device).seconds();
    }
    speed.push_back(seconds > 0.0 ? 1.0 / seconds : 1.0);
  }
  if (std::ranges::adjacent_find(speed, std::not_equal_to()) == speed.end()) {
    return {};  // all alike
  }
  const double sum = std::accumulate(speed.begin(), speed.end(), 0.0);
  for (double& share : speed) {
    share /= sum;
  }
  return speed;
}

// The allowed device of `group` with whose groups it shares most bytes, the first of equals.
DeviceId MostConnected(const env::Problem& problem,
                       const GroupGraph& graph,
                       std::size_t group,
                       std::span<const DeviceId> placement) {
  std::vector<double> shared_bytes(problem.hardware().num_devices(), 0.0);
  for (std::size_t e = graph.first_edge[group]; e < graph.first_edge[group + 1]; ++e) {
    shared_bytes[placement[graph.neighbour[e]].index()] += graph.edge_bytes[e];
  }
  return *std::ranges::max_element(problem.AllowedDevices(static_cast<std::int32_t>(group)),
                                   {},
                                   [&](DeviceId device) { return shared_bytes[device.index()]; });
}

class Metis final : public Agent {
 public:
  explicit Metis(Options& options)
      : tries_(options.Int("tries", 16, 1, 10'000)),
        imbalance_(options.Double("imbalance", 0.03, 0.001, 10.0)),
        is_memory_aware_(options.Bool("memory_aware", false)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const TrainingListener& /*listener*/) override {
    std::vector<sim::Plan> plans;
    for (const std::vector<DeviceId>& placement : Placements(problem, rng)) {
      AddPlans(problem, placement, plans);
    }
    evaluator.Evaluate(plans);
  }

 private:
  std::vector<std::vector<DeviceId>> Placements(const env::Problem& problem, Rng& rng) const {
    if (!problem.tasks().placement) {
      return {{}};
    }
    const GroupGraph graph = BuildGroupGraph(problem);
    std::vector<DeviceId> devices = MainDevices(problem);
    PartitionOptions options{.num_parts = devices.size(),
                             .part_shares = ShareOfDevices(problem, devices),
                             .imbalance = imbalance_,
                             .balances_memory = is_memory_aware_};
    const bool are_alike = options.part_shares.empty();
    std::vector<std::vector<DeviceId>> placements;
    for (std::int64_t i = 0; i < tries_; ++i) {
      placements.push_back(ToPlacement(problem, graph, PartitionGroups(graph, options), devices));
      options.seed = static_cast<std::int32_t>(rng.Below(std::numeric_limits<std::int32_t>::max()));
      options.imbalance = kFurtherImbalances[static_cast<std::size_t>(i) % 4];
      if (are_alike) {
        rng.Shuffle(std::span(devices));
      }
    }
    return placements;
  }

  static std::vector<DeviceId> ToPlacement(const env::Problem& problem,
                                           const GroupGraph& graph,
                                           std::span<const std::size_t> part,
                                           std::span<const DeviceId> devices) {
    std::vector<DeviceId> placement;
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

  static void AddPlans(const env::Problem& problem,
                       const std::vector<DeviceId>& placement,
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

  std::int64_t tries_;
  double imbalance_;
  bool is_memory_aware_;
};

}  // namespace

AgentEntry MetisEntry() {
  return {.info = {.name = "metis",
                   .kind = AgentKind::kClassical,
                   .tasks = {"placement", "scheduling"},
                   .paper = "Karypis and Kumar, SIAM J. Sci. Comput. 1998",
                   .summary = "Balanced k-way partition with the least traffic between devices; "
                              "blind to memory and to the order of work."},
          .make = [](Options& options) -> std::unique_ptr<Agent> {
            return std::make_unique<Metis>(options);
          }};
}

}  // namespace opyard::agents
