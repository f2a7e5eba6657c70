#include "agents/classical/random/random.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/random_decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"

namespace opyard::agents {
namespace {

enum class SampledDevices : std::uint8_t { kAll, kAccelerators };

struct RandomSettings {
  SampledDevices devices = SampledDevices::kAccelerators;
  std::int64_t num_levels = kDefaultLevels;
  std::int64_t batch = 64;
};

OptionTable<RandomSettings> RandomOptions() {
  return OptionTable<RandomSettings>(
      {{.name = "devices",
        .field =
            Word(&RandomSettings::devices,
                 {{"accelerators", SampledDevices::kAccelerators}, {"all", SampledDevices::kAll}}),
        .meaning = "devices that groups are placed on: those of the first accelerator's kind, but "
                   "for groups that may use none of these (accelerators), or all, the host among "
                   "them"},
       LevelsRow(&RandomSettings::num_levels),
       {.name = "batch",
        .field = Whole(&RandomSettings::batch, 1, 4096),
        .meaning = "plans that are evaluated at once"}});
}

// The devices that each group may be placed on.
std::vector<std::vector<DeviceId>> ChoicesOfGroups(const env::Problem& problem,
                                                   SampledDevices devices) {
  const std::vector<DeviceId> accelerators = MainDevices(problem);
  std::vector<std::vector<DeviceId>> choices;
  for (std::size_t group = 0; group < NumGroups(problem); ++group) {
    const auto allowed = problem.AllowedDevices(GroupId(group));
    std::vector<DeviceId>& of_group = choices.emplace_back();
    std::ranges::copy_if(allowed, std::back_inserter(of_group), [&](DeviceId device) {
      return devices == SampledDevices::kAll ||
             std::ranges::find(accelerators, device) != accelerators.end();
    });
    if (of_group.empty()) {
      of_group.assign(allowed.begin(), allowed.end());
    }
  }
  return choices;
}

class Random final : public Agent {
 public:
  explicit Random(const RandomSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& /*context*/) override {
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(ToPlan(problem, RandomDecisions(problem, settings_.num_levels, rng)));
      return;
    }
    const std::vector<std::vector<DeviceId>> choices = ChoicesOfGroups(problem, settings_.devices);
    while (!evaluator.is_done()) {
      std::vector<sim::Plan> plans;
      for (std::int64_t i = evaluator.EvaluationsLeft(settings_.batch); i > 0; --i) {
        plans.push_back(ToPlan(problem, Sample(problem, choices, rng)));
      }
      evaluator.Evaluate(plans);
    }
  }

 private:
  Decisions Sample(const env::Problem& problem,
                   const std::vector<std::vector<DeviceId>>& choices,
                   Rng& rng) const {
    Decisions decisions = RandomDecisions(problem, settings_.num_levels, rng);
    if (settings_.devices == SampledDevices::kAccelerators) {
      for (std::size_t group = 0; group < decisions.device_of_group.size(); ++group) {
        decisions.device_of_group[group] = choices[group][rng.Below(choices[group].size())];
      }
    }
    return decisions;
  }

  RandomSettings settings_;
};

}  // namespace

AgentEntry RandomEntry() {
  return MakeEntry<Random>(
      {.name = "random",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "",
       .summary =
           "Uniform random devices and priorities per group; the best of the budget counts."},
      RandomOptions());
}

}  // namespace opyard::agents
