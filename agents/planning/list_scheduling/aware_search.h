// The common part of rule-based planners that know the machine better than their papers do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/base/agent_info.h"
#include "agents/planning/estimates/arrivals.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// The deviations of aware list schedulers from the published ones.
inline constexpr const char* kAwareListScheduling =
    "Ops take their share of the kernels that they are fused into on one device, transfers also "
    "wait for the channels of their routes, schedules on the first 2, 4, 8, … and on all main "
    "devices are evaluated, and so is each device alone: never slower than single_device. Averages "
    "are over the devices of the main kind, and where no plan completes, schedules keep to the "
    "devices' memory.";
inline constexpr const char* kAwareEarliestStarts =
    "Ops take their share of the kernels that they are fused into on one device, transfers also "
    "wait for the channels of their routes, schedules on the first 2, 4, 8, … and on all main "
    "devices are evaluated, and so is each device alone: never slower than single_device. Where no "
    "schedule completes, limits of 0.85 and 0.7 of the memory follow, and groups spread by falling "
    "bytes.";
inline constexpr const char* kAwarePriorityRule =
    "Where placement is a task, the rule orders placements by list scheduling with upward ranks, "
    "kernels and busy channels, and each device alone is evaluated: never slower than "
    "single_device.";

// `info` of a published heuristic as that of its aware version: the name ends in "_aware", and
// `deviation` comes last.
[[nodiscard]] AgentInfo AwareInfo(AgentInfo info, const std::string& deviation);

// Evaluates each device alone, as single_device does but for DifferentSingleDevicePlacements, and
// then by EvaluateWithMemoryRule those of the plans of `make_plans` that were not evaluated: never
// slower than single_device. Returns whether one of `make_plans` completed.
bool EvaluateAndAskSingleDevices(
    MemoryRule rule,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans);

// The transfer rule and the devices that one schedule assumes.
struct ScheduleView {
  TransferRule transfers = TransferRule::kAlone;
  std::vector<DeviceId> devices;  // empty: all
};

//   kPublished one view: transfers alone, all devices.
//   kAware     for each of DeviceSets (simple_plans.h) a view in which transfers are booked and one
//              in which they are alone. The first is nearer to the machine; where groups of many
//              ops hide how much could overlap, it keeps too much on one device.
enum class Awareness : std::uint8_t { kPublished, kAware };

// The times of ops alone as published, else those of their shares of fused kernels.
[[nodiscard]] OpTimes OpTimesFor(Awareness awareness, const env::Problem& problem);

[[nodiscard]] std::vector<ScheduleView> ViewsOf(Awareness awareness, const env::Problem& problem);

// Appends the plans of one schedule, unless they are there.
using AddSchedule = std::function<void(
    const ScheduleView& view, std::optional<double> memory_share, std::vector<sim::Plan>& plans)>;

// Evaluates the plans of all schedules for all views by EvaluateWithMemoryRule, and if aware each
// device alone. Makes no more of them once the evaluator is done. Returns whether one of them
// completed.
bool EvaluateSchedules(Awareness awareness,
                       MemoryRule rule,
                       const env::Problem& problem,
                       env::Evaluator& evaluator,
                       const std::vector<AddSchedule>& schedules);

}  // namespace opyard::agents
