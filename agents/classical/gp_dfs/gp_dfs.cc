#include "agents/classical/gp_dfs/gp_dfs.h"

#include "agents/base/make_entry.h"
#include "agents/classical/gp_dfs/depth_first_order.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "agents/planning/partitioning/metis_tries.h"
#include "env/action_codec.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

OptionTable<MetisTries> GpDfsOptions() {
  return MetisTriesOptions().With({{.name = "memory_aware",
                                    .field = Flag(&MetisTries::balances_memory),
                                    .meaning = "whether parts balance their memory as well"}});
}

class GpDfs final : public Agent {
 public:
  explicit GpDfs(const MetisTries& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& /*context*/) override {
    std::vector<std::int64_t> priorities;
    if (problem.tasks().scheduling) {
      priorities = PrioritiesOfOrder(DepthFirstOrder(problem.graph()));
    }
    std::vector<sim::Plan> plans;
    for (const env::GroupPlacement& placement : PlacementsByMetis(problem, settings_, rng)) {
      sim::Plan plan = ToPlan(problem, {.device_of_group = placement, .priority_of_group = {}});
      if (problem.tasks().scheduling) {
        env::SetPriorities(plan, priorities);
      }
      AddUnlessPresent(plans, std::move(plan));
    }
    evaluator.Evaluate(plans);
  }

 private:
  MetisTries settings_;
};

}  // namespace

AgentEntry GpDfsEntry() {
  return MakeEntry<GpDfs>(
      {.name = "gp_dfs",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Paliwal et al., ICLR 2020",
       .summary = "Balanced k-way partition with the least traffic between devices, the best of "
                  "several, in the depth-first order of a compiler that saves memory.",
       .deviations = {"METIS and the order of XLA's DFS memory scheduler stand for the paper's "
                      "partitioner and order, of which there is no code; {tries: 1} is one "
                      "partition.",
                      "The order is one for the whole graph, and each device keeps to it among "
                      "what is ready there.",
                      "A group that may not be on its part's device goes to the one of its allowed "
                      "devices with which it shares most bytes."}},
      GpDfsOptions());
}

}  // namespace opyard::agents
