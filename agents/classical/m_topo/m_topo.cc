#include "agents/classical/m_topo/m_topo.h"

#include <algorithm>
#include <optional>
#include <span>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/group_memory.h"
#include "agents/planning/initial_plans/memory_placement.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

struct MTopoSettings {
  bool is_aware = false;
  MemoryRule memory_rule = MemoryRule::kAuto;
};

// The published limit of each device, in bytes.
double LimitOfEach(const std::vector<Bytes>& need, std::size_t num_devices) {
  double total = 0.0;
  double largest = 0.0;
  for (const Bytes bytes : need) {
    total += static_cast<double>(bytes.count);
    largest = std::max(largest, static_cast<double>(bytes.count));
  }
  return total / static_cast<double>(num_devices) + largest;
}

OptionTable<MTopoSettings> MTopoOptions() {
  return OptionTable<MTopoSettings>({MemoryRuleRow(&MTopoSettings::memory_rule)});
}

env::GroupPlacement FillInOrder(const env::Problem& problem,
                                std::span<const DeviceId> devices,
                                std::optional<double> memory_share) {
  const std::vector<Bytes> need = GroupBytes(problem);
  const double limit = LimitOfEach(need, devices.size());
  GroupMemory memory(problem, memory_share.value_or(1.0));
  std::vector<double> used(problem.hardware().num_devices(), 0.0);  // bytes
  env::GroupPlacement placement(need.size());
  std::size_t current = 0;
  for (const std::size_t group : GroupsInTopologicalOrder(problem)) {
    const auto bytes = static_cast<double>(need[group].count);
    const auto fits_on = [&](DeviceId device) {
      return used[device.index()] + bytes <= limit &&
             (!memory_share.has_value() || memory.HasRoom(group, device));
    };
    const bool is_allowed = IsAllowed(problem, group, devices[current]);
    while (is_allowed && current + 1 < devices.size() && !fits_on(devices[current])) {
      ++current;
    }
    const bool stays_in_order =
        IsAllowed(problem, group, devices[current]) && fits_on(devices[current]);
    placement[group] = stays_in_order ? devices[current] : RoomiestDevice(problem, memory, group);
    used[placement[group].index()] += bytes;
    memory.Add(group, placement[group]);
  }
  return placement;
}

class MTopo final : public Agent {
 public:
  explicit MTopo(const MTopoSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    const auto make_plans = [&](std::optional<double> memory_share) {
      return Plans(problem, memory_share);
    };
    const bool has_completed =
        settings_.is_aware
            ? EvaluateAndAskSingleDevices(settings_.memory_rule, problem, evaluator, make_plans)
            : EvaluateWithMemoryRule(settings_.memory_rule, problem, evaluator, make_plans);
    if (settings_.memory_rule != MemoryRule::kOff && !has_completed) {
      EvaluateBySize(problem, evaluator);
    }
  }

 private:
  [[nodiscard]] std::vector<sim::Plan> Plans(const env::Problem& problem,
                                             std::optional<double> memory_share) const {
    if (!problem.tasks().placement) {
      return {ToPlan(problem, {})};
    }
    std::vector<sim::Plan> plans;
    for (const std::vector<DeviceId>& devices :
         settings_.is_aware ? DeviceSets(problem)
                            : std::vector<std::vector<DeviceId>>{MainDevices(problem)}) {
      const env::GroupPlacement placement = FillInOrder(problem, devices, memory_share);
      AddUnlessPresent(plans, ToPlan(problem, {.device_of_group = placement}));
    }
    return plans;
  }

  MTopoSettings settings_;
};

AgentInfo MTopoInfo() {
  return {
      .name = "m_topo",
      .kind = AgentKind::kClassical,
      .tasks = {"placement"},
      .is_deterministic = true,
      .paper = "Jeon et al., SoCC 2020",
      .summary =
          "Fills the devices one after the other in topological order, each up to its even "
          "share of the memory and the largest group.",
      .deviations = {"The devices are those of the main kind; a group that may not be on the one "
                     "at hand goes to the one with most room that it may be on.",
                     "The paper's limit may exceed a device's memory; capacity_test keeps to both, "
                     "and tries groups by falling bytes as well."}};
}

}  // namespace

AgentEntry MTopoEntry() {
  return MakeEntry<MTopo>(MTopoInfo(), MTopoOptions());
}

AgentEntry MTopoAwareEntry() {
  return MakeEntry<MTopo>(
      AwareInfo(
          MTopoInfo(),
          "The first 2, 4, 8, … and all main devices are filled likewise, and each device alone is "
          "evaluated: never slower than single_device."),
      MTopoOptions().WithDefaults({.is_aware = true}));
}

}  // namespace opyard::agents
