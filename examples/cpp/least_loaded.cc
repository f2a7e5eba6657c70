// An agent of one's own, as a plugin: each group of ops goes to the device with the least to do.
//
//     opyard place --plugin build/least_loaded.so --agent least_loaded --param devices=2
//         --graph fork.graph.json --hardware hardware/machines/pair.yaml
#include <algorithm>
#include <cstdint>
#include <vector>

#include "agents/base/make_entry.h"
#include "agents/base/plugin.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/group_placement.h"

namespace {

using opyard::DeviceId;
namespace agents = opyard::agents;
namespace env = opyard::env;

struct Settings {
  std::int64_t devices = 65'536;
};

agents::OptionTable<Settings> LeastLoadedOptions() {
  return agents::OptionTable<Settings>({{.name = "devices",
                                         .field = agents::Whole(&Settings::devices, 1, 65'536),
                                         .meaning = "the most main devices that share the work"}});
}

// Groups in topological order, each to the allowed device with the fewest seconds of work so far,
// the first of equal ones. What may be on none of them stays where the default placement has it.
env::GroupPlacement Balanced(const env::Problem& problem, std::size_t most_devices) {
  std::vector<DeviceId> devices = agents::MainDevices(problem);
  devices.resize(std::min(devices.size(), most_devices));
  const std::vector<double> seconds = agents::GroupSeconds(problem);
  std::vector<double> load(devices.size());
  env::GroupPlacement device_of_group =
      agents::DeviceOfGroups(problem, problem.default_placement());
  for (const std::size_t group : agents::GroupsInTopologicalOrder(problem)) {
    std::size_t best = devices.size();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (agents::IsAllowed(problem, group, devices[i]) &&
          (best == devices.size() || load[i] < load[best])) {
        best = i;
      }
    }
    if (best < devices.size()) {
      load[best] += seconds[group];
      device_of_group[group] = devices[best];
    }
  }
  return device_of_group;
}

class LeastLoaded final : public agents::Agent {
 public:
  explicit LeastLoaded(const Settings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              opyard::Rng& /*rng*/,
              const agents::SearchContext& /*context*/) override {
    agents::Decisions decisions;
    if (problem.tasks().placement) {
      decisions.device_of_group = Balanced(problem, static_cast<std::size_t>(settings_.devices));
    }
    evaluator.Evaluate(agents::ToPlan(problem, decisions));
  }

 private:
  Settings settings_;
};

std::vector<agents::AgentEntry> Agents() {
  return {agents::MakeEntry<LeastLoaded>(
      {.name = "least_loaded",
       .kind = agents::AgentKind::kClassical,
       .tasks = {"placement"},
       .is_deterministic = true,
       .summary = "Gives each group to the device with the least to do."},
      LeastLoadedOptions())};
}

}  // namespace

const opyard::agents::Plugin* opyard_plugin() {
  static constexpr agents::Plugin kPlugin{.agents = Agents};
  return &kPlugin;
}
