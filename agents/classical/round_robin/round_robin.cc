#include "agents/classical/round_robin/round_robin.h"

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"

namespace opyard::agents {
namespace {

struct RoundRobinSettings {
  std::int64_t first = 0;
};

OptionTable<RoundRobinSettings> RoundRobinOptions() {
  return OptionTable<RoundRobinSettings>(
      {{.name = "first",
        .field = Whole(&RoundRobinSettings::first, 0, 65'536),
        .meaning = "the main device that the first group goes to"}});
}

class RoundRobin final : public Agent {
 public:
  explicit RoundRobin(const RoundRobinSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    Decisions decisions;
    if (problem.tasks().placement) {
      decisions.device_of_group = DeviceOfGroups(problem, problem.default_placement());
      const std::vector<DeviceId> devices = MainDevices(problem);
      auto next = static_cast<std::size_t>(settings_.first);
      for (const std::size_t group : GroupsInTopologicalOrder(problem)) {
        const DeviceId device = devices[next++ % devices.size()];
        if (IsAllowed(problem, group, device)) {
          decisions.device_of_group[group] = device;
        }
      }
    }
    evaluator.Evaluate(ToPlan(problem, decisions));
  }

 private:
  RoundRobinSettings settings_;
};

}  // namespace

AgentEntry RoundRobinEntry() {
  return MakeEntry<RoundRobin>({.name = "round_robin",
                                .kind = AgentKind::kClassical,
                                .tasks = {"placement"},
                                .is_deterministic = true,
                                .paper = "",
                                .summary = "Deals the groups out to the devices in turn."},
                               RoundRobinOptions());
}

}  // namespace opyard::agents
