#include "agents/classical/spt/spt.h"

#include "agents/base/make_entry.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/priority_rule.h"

namespace opyard::agents {
namespace {

struct SptSettings {
  bool is_aware = false;
};

OptionTable<SptSettings> SptOptions() {
  return {};
}

class Spt final : public Agent {
 public:
  explicit Spt(const SptSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const auto make_key = [&](std::span<const DeviceId> placement) {
      std::vector<double> key;
      for (std::size_t i = 0; i < placement.size(); ++i) {
        key.push_back(-problem.costs().time(OpId(i), placement[i]).seconds());
      }
      return key;
    };
    if (settings_.is_aware) {
      EvaluatePriorityRuleWherePlaced(problem, evaluator, make_key);
    } else {
      EvaluatePriorityRule(problem, evaluator, make_key);
    }
  }

 private:
  SptSettings settings_;
};

AgentInfo SptInfo() {
  return {.name = "spt",
          .kind = AgentKind::kClassical,
          .tasks = {"scheduling"},
          .is_deterministic = true,
          .paper = "Haupt, OR Spektrum 1989",
          .summary = "Of the ready ops on a device, the one that takes least time runs first.",
          .deviations = {"Of a fused kernel the shortest op counts.",
                         "The rule only schedules: it orders the default placement."}};
}

AgentInfo AwareSptInfo() {
  AgentInfo info = AwareInfo(SptInfo(), kAwarePriorityRule);
  info.tasks = {"placement", "scheduling"};
  return info;
}

}  // namespace

AgentEntry SptEntry() {
  return MakeEntry<Spt>(SptInfo(), SptOptions());
}

AgentEntry SptAwareEntry() {
  return MakeEntry<Spt>(AwareSptInfo(), SptOptions().WithDefaults({.is_aware = true}));
}

}  // namespace opyard::agents
