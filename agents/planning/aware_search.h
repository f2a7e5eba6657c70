// The common part of rule-based planners that know the machine better than their papers do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/base/option_table.h"
#include "agents/planning/arrivals.h"
#include "agents/planning/memory_rule.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// What the published versions of list schedulers leave out, and what ours do in place of it.
inline constexpr const char* kFaithfulListScheduling =
    "whether each op counts as a kernel and each transfer as alone on the machine, over all "
    "devices at once, without asking for single devices";
inline constexpr const char* kAwareListScheduling =
    "Unless faithful, ops take their share of the kernels that they are fused into on one device, "
    "transfers also wait for the channels of their routes, schedules on the first 2, 4, 8, … and "
    "on all main devices are evaluated, and so is each device alone: never slower than "
    "single_device.";

// The option `faithful`; `meaning` says what the paper's version does.
template <class Settings>
[[nodiscard]] OptionRow<Settings> FaithfulRow(bool Settings::*member, const std::string& meaning) {
  return {.name = "faithful", .field = Flag(member), .meaning = meaning, .paper = "true"};
}

// Evaluates each device alone, as single_device does but for DifferentSingleDevicePlacements, and
// then by EvaluateWithMemoryRule those of the plans of `make_plans` that were not evaluated: never
// slower than single_device. Returns whether one of `make_plans` completed.
bool EvaluateAndAskSingleDevices(
    MemoryRule rule,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans);

// What one schedule counts on.
struct ScheduleView {
  TransferRule transfers = TransferRule::kAlone;
  std::vector<DeviceId> devices;  // empty: all
};

//   kFaithful  one view: transfers alone, all devices.
//   kAware     for each of DeviceSets (simple_plans.h) a view in which transfers are booked and one
//              in which they are alone. The first is nearer to the machine; where groups of many
//              ops hide how much could overlap, it keeps too much on one device.
enum class Awareness : std::uint8_t { kFaithful, kAware };

[[nodiscard]] std::vector<ScheduleView> ViewsOf(Awareness awareness, const env::Problem& problem);

// Appends the plans of one schedule, unless they are there.
using AddSchedule = std::function<void(
    const ScheduleView& view, std::optional<double> memory_share, std::vector<sim::Plan>& plans)>;

// Evaluates the plans of all views by EvaluateWithMemoryRule, and if aware each device alone. Makes
// no more of them once the evaluator is done. Returns whether one of them completed.
bool EvaluateSchedules(Awareness awareness,
                       MemoryRule rule,
                       const env::Problem& problem,
                       env::Evaluator& evaluator,
                       const AddSchedule& add_schedule);

}  // namespace opyard::agents
