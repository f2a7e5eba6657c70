#include "agents/classical/scotch/scotch_agent.h"

#include "agents/base/make_entry.h"
#include "agents/classical/scotch/scotch_partition.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/partitioning/group_graph.h"
#include "agents/planning/partitioning/partition_plans.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

struct ScotchSettings {
  double imbalance = 0.01;
};

OptionTable<ScotchSettings> ScotchOptions() {
  return OptionTable<ScotchSettings>(
      {{.name = "imbalance",
        .field = Real(&ScotchSettings::imbalance, 0.001, 1.0),
        .meaning = "the fraction by which a device may exceed its share of the work",
        .paper = "0.01"}});
}

class Scotch final : public Agent {
 public:
  explicit Scotch(const ScotchSettings& settings) : settings_(settings) {}

  // One placement gives up to two plans: with the problem's default queue and, where scheduling is
  // a task, with upward ranks as priorities. The better one is the answer.
  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    std::vector<sim::Plan> plans;
    AddPlansOfPlacement(problem, Placement(problem), plans);
    evaluator.Evaluate(plans);
  }

 private:
  // The device of each group. Empty where placement is no task: the plans then have the problem's
  // default placement. Scotch parts the groups among the main devices alone, those of the first
  // accelerator's kind; a host processor beside them is left out (docs/glossary.md).
  [[nodiscard]] env::GroupPlacement Placement(const env::Problem& problem) const {
    if (!problem.tasks().placement) {
      return {};
    }
    const GroupGraph graph = BuildGroupGraph(problem);
    const std::vector<DeviceId> devices = MainDevices(problem);
    const std::vector<double> speeds = SpeedsOf(problem, devices);
    return PlacementOfParts(problem, graph, MapGroups(graph, speeds, settings_.imbalance), devices);
  }

  ScotchSettings settings_;
};

}  // namespace

AgentEntry ScotchEntry() {
  return MakeEntry<Scotch>(
      {.name = "scotch",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .is_deterministic = true,
       .paper = "Pellegrini and Roman, HPCN 1996",
       .summary =
           "One mapping of the graph onto the devices by Scotch: work in balance, little traffic; "
           "blind to memory and to the order of work.",
       // The last two are those of PlacementOfParts and AddPlansOfPlacement (partition_plans.h),
       // which `metis` shares.
       .deviations = {"Published tables show one mapping by the library's default strategy, and so "
                      "does this.",
                      "All devices are equally far from each other, whatever their links.",
                      "A group that may not be on its part's device goes to the one of its allowed "
                      "devices with which it shares most bytes.",
                      "Where scheduling is a task, the placement is evaluated with the problem's "
                      "default queue and with upward ranks as priorities."}},
      ScotchOptions());
}

}  // namespace opyard::agents
