#include "agents/classical/metis_memory/metis_memory.h"

#include <optional>

#include "agents/base/make_entry.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/partitioning/metis_tries.h"
#include "agents/planning/partitioning/partition_plans.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

class MetisMemory final : public Agent {
 public:
  explicit MetisMemory(const MetisTries& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& /*context*/) override {
    const auto make_plans = [&](std::optional<double> memory_share) {
      MetisTries settings = settings_;
      settings.memory_share = memory_share;
      std::vector<sim::Plan> plans;
      for (const env::GroupPlacement& placement : PlacementsByMetis(problem, settings, rng)) {
        AddPlansOfPlacement(problem, placement, plans);
      }
      return plans;
    };
    EvaluateWithMemoryRule(MemoryRule::kOn, problem, evaluator, make_plans);
  }

 private:
  MetisTries settings_;
};

}  // namespace

AgentEntry MetisMemoryEntry() {
  return MakeEntry<MetisMemory>(
      {.name = "metis_memory",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Karypis and Kumar, SC 1998",
       .summary = "Balanced k-way partition with the least traffic between devices whose parts fit "
                  "the devices' memory.",
       .deviations = {"The memory of a part is a sum of parameters and outputs, its limit the "
                      "device's capacity, and 0.85 and 0.7 of it where no plan completes.",
                      "The tries differ by seed, imbalance, number of devices and a random "
                      "assignment of parts to "
                      "devices.",
                      "A group that may not be on its part's device goes to the one of its allowed "
                      "devices with which it shares most bytes.",
                      "Where scheduling is a task, each placement is evaluated with the problem's "
                      "default queue and with upward ranks as priorities."}},
      MetisTriesOptions());
}

}  // namespace opyard::agents
