#include "agents/classical/mopnr/mopnr.h"

#include "agents/base/make_entry.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/priority_rule.h"

namespace opyard::agents {
namespace {

struct MopnrSettings {
  bool is_aware = false;
};

OptionTable<MopnrSettings> MopnrOptions() {
  return {};
}

class Mopnr final : public Agent {
 public:
  explicit Mopnr(const MopnrSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const auto make_key = [&](std::span<const DeviceId> /*placement*/) {
      return OpsToSink(problem.graph());
    };
    if (settings_.is_aware) {
      EvaluatePriorityRuleWherePlaced(problem, evaluator, make_key);
    } else {
      EvaluatePriorityRule(problem, evaluator, make_key);
    }
  }

 private:
  MopnrSettings settings_;
};

AgentInfo MopnrInfo() {
  return {
      .name = "mopnr",
      .kind = AgentKind::kClassical,
      .tasks = {"scheduling"},
      .is_deterministic = true,
      .paper = "Haupt, OR Spektrum 1989",
      .summary =
          "Of the ready ops on a device, the one with most ops on its path to a sink runs first.",
      .deviations = {"A job of the paper is a chain; here its remaining ops are those of the path "
                     "that has most.",
                     "Of a fused kernel the op with most remaining counts.",
                     "The rule only schedules: it orders the default placement."}};
}

AgentInfo AwareMopnrInfo() {
  AgentInfo info = AwareInfo(MopnrInfo(), kAwarePriorityRule);
  info.tasks = {"placement", "scheduling"};
  return info;
}

}  // namespace

AgentEntry MopnrEntry() {
  return MakeEntry<Mopnr>(MopnrInfo(), MopnrOptions());
}

AgentEntry MopnrAwareEntry() {
  return MakeEntry<Mopnr>(AwareMopnrInfo(), MopnrOptions().WithDefaults({.is_aware = true}));
}

}  // namespace opyard::agents
