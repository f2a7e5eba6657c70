// Published list schedulers as agents, each beside its aware version.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agents/base/agent.h"
#include "agents/base/agent_entry.h"
#include "agents/base/option_table.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

// The devices over which costs, transfers and ranks are averaged; kBoth: one after the other.
enum class Means : std::uint8_t { kAllDevices, kMainDevices, kBoth };

// The settings that all list schedulers have. The defaults are those of the papers, which average
// over all devices and know no memory.
struct ListSettings {
  Awareness awareness = Awareness::kPublished;
  Means means = Means::kAllDevices;
  MemoryRule memory_rule = MemoryRule::kOff;
};

// The settings of the aware versions.
inline constexpr ListSettings kAwareList = {
    .awareness = Awareness::kAware, .means = Means::kMainDevices, .memory_rule = MemoryRule::kAuto};

// The options `means` and `capacity_test`.
[[nodiscard]] OptionTable<ListSettings> ListOptions();

// The deviation of heuristics whose priorities are the order of their list.
inline constexpr const char* kListPlansDeviation =
    "Where scheduling is a task, each placement is evaluated twice: with the problem's default "
    "queue, and with the order of the list as priorities. Where placement is no task, that order "
    "is "
    "all that is new.";

// The estimates from which all schedules of a search are made. It refers to them, and so is not
// kept beyond the search.
struct ListEstimates {
  const env::Problem& problem;
  const TransferTimes& transfers;
  const OpTimes& times;
  std::vector<DeviceId> mean_devices;  // those that averages are over

  // Options of a schedule for `view` within `memory_share` of the memory.
  [[nodiscard]] ListScheduleOptions OptionsOf(const ScheduleView& view,
                                              std::optional<double> memory_share) const;
};

// Makes one schedule for `view`, within `memory_share` of the memory (none: memory is ignored).
using MakeListPlan =
    std::function<ListPlan(const ScheduleView& view, std::optional<double> memory_share)>;

// The schedules of a heuristic, one unless it has several variants. Ranks and whatever else holds
// for all views is worked out here.
using MakeListPlans = std::function<std::vector<MakeListPlan>(const ListEstimates& estimates)>;

// An agent that evaluates the plans of `heuristic` by EvaluateSchedules (aware_search.h).
[[nodiscard]] std::unique_ptr<Agent> MakeListAgent(const ListSettings& settings,
                                                   MakeListPlans heuristic);

// The published heuristic, whose options are ListOptions, and its aware version.
[[nodiscard]] AgentEntry PublishedListEntry(AgentInfo info, MakeListPlans heuristic);
[[nodiscard]] AgentEntry AwareListEntry(AgentInfo info, MakeListPlans heuristic);

}  // namespace opyard::agents
