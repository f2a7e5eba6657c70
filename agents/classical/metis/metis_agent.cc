#include "agents/classical/metis/metis_agent.h"

#include "agents/base/make_entry.h"
#include "agents/planning/partitioning/metis_tries.h"
#include "agents/planning/partitioning/partition_plans.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

OptionTable<MetisTries> MetisOptions() {
  return MetisTriesOptions().With({{.name = "memory_aware",
                                    .field = Flag(&MetisTries::balances_memory),
                                    .meaning = "whether parts balance their memory as well",
                                    .paper = "false"}});
}

class Metis final : public Agent {
 public:
  explicit Metis(const MetisTries& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& /*context*/) override {
    std::vector<sim::Plan> plans;
    for (const env::GroupPlacement& placement : PlacementsByMetis(problem, settings_, rng)) {
      AddPlansOfPlacement(problem, placement, plans);
    }
    evaluator.Evaluate(plans);
  }

 private:
  MetisTries settings_;
};

}  // namespace

AgentEntry MetisEntry() {
  return MakeEntry<Metis>(
      {.name = "metis",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Karypis and Kumar, SIAM J. Sci. Comput. 1998",
       .summary =
           "Balanced k-way partition with the least traffic between devices, the best of several; "
           "blind to memory and to the order of work.",
       .deviations = {"Published tables show one partition, {tries: 1}; the best of 16 that stands "
                      "here by default is not METIS's published result. The further ones differ by "
                      "seed, imbalance, the number of devices and a random assignment of parts to "
                      "devices.",
                      "A group that may not be on its part's device goes to the one of its allowed "
                      "devices with which it shares most bytes.",
                      "Where scheduling is a task, each placement is evaluated with the problem's "
                      "default queue and with upward ranks as priorities."}},
      MetisOptions());
}

}  // namespace opyard::agents
