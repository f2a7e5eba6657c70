#include "agents/classical/single_device/single_device.h"

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

class SingleDevice final : public Agent {
 public:
  explicit SingleDevice(NoSettings /*settings*/) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    std::vector<sim::Plan> plans;
    for (const env::GroupPlacement& placement : SingleDevicePlacements(problem)) {
      plans.push_back(ToPlan(problem, {.device_of_group = placement}));
    }
    evaluator.Evaluate(plans);
  }
};

}  // namespace

AgentEntry SingleDeviceEntry() {
  return MakeEntry<SingleDevice>(
      {.name = "single_device",
       .kind = AgentKind::kClassical,
       .tasks = {"placement"},
       .is_deterministic = true,
       .paper = "",
       .summary = "Everything on one device: each device is tried, the best counts."},
      OptionTable<NoSettings>());
}

}  // namespace opyard::agents
