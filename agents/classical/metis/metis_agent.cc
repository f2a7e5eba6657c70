#include "agents/classical/metis/metis_agent.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "agents/base/make_entry.h"
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

struct Settings {
  std::int64_t tries = 16;
  double imbalance = 0.03;
  bool is_memory_aware = false;
};

OptionTable<Settings> MetisOptions() {
  return OptionTable<Settings>(
      {{.name = "tries",
        .field = Whole(&Settings::tries, 1, 10'000),
        .meaning = "partitions that are made; the best plan counts",
        .paper = "1"},
       {.name = "imbalance",
        .field = Real(&Settings::imbalance, 0.001, 10.0),
        .meaning = "the fraction by which a part may exceed its share of the work in the first "
                   "try; the others take 0.1, 0.3, 0.03 and 0.01 in turn",
        .paper = "0.03"},
       {.name = "memory_aware",
        .field = Flag(&Settings::is_memory_aware),
        .meaning = "whether parts balance their memory as well",
        .paper = "false"}});
}

class Metis final : public Agent {
 public:
  explicit Metis(const Settings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& /*context*/) override {
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
                             .imbalance = settings_.imbalance,
                             .balances_memory = settings_.is_memory_aware};
    const bool are_alike = options.part_shares.empty();
    std::vector<std::vector<DeviceId>> placements;
    for (std::int64_t i = 0; i < settings_.tries; ++i) {
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

  Settings settings_;
};

}  // namespace

AgentEntry MetisEntry() {
  return MakeEntry<Metis>(
      {.name = "metis",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Karypis and Kumar, SIAM J. Sci. Comput. 1998",
       .summary =
           "Balanced k-way partition with the least traffic between devices; blind to memory "
           "and to the order of work.",
       .deviations = {"The published baseline is the first try alone; the further ones differ by "
                      "seed, imbalance and a random assignment of parts to devices.",
                      "A group that may not be on its part's device goes to the one of its allowed "
                      "devices with which it shares most bytes.",
                      "Where scheduling is a task, each placement is judged with the problem's "
                      "default queue and with upward ranks as priorities."}},
      MetisOptions());
}

}  // namespace opyard::agents
