#include "agents/classical/metis/metis_agent.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "agents/classical/metis/metis_partition.h"
#include "agents/planning/decisions.h"
#include "agents/planning/partition_plans.h"

namespace opyard::agents {
namespace {

constexpr double kFurtherImbalances[] = {0.1, 0.3, 0.03, 0.01};

// Shares in proportion to speed; none if all are alike.
std::vector<double> ShareOfDevices(const env::Problem& problem, std::span<const DeviceId> devices) {
  std::vector<double> speed = SpeedsOf(problem, devices);
  if (std::ranges::adjacent_find(speed, std::not_equal_to()) == speed.end()) {
    return {};
  }
  const double sum = std::accumulate(speed.begin(), speed.end(), 0.0);
  for (double& share : speed) {
    share /= sum;
  }
  return speed;
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
      AddPlansOfPlacement(problem, placement, plans);
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
