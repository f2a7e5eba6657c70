// The rule by which planners that ignore memory consider it after all.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "agents/base/option_table.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// Shares of the devices' memory that planners keep to, one after the other until a plan completes:
// what a plan really needs, with copies and workspace, may be more than the sums that GroupMemory
// counts.
inline constexpr std::array<double, 3> kMemoryShares = {1.0, 0.85, 0.7};

//   kOff   never.
//   kOn    always, with the limits of GroupMemory.
//   kAuto  only if no plan without them completed.
enum class MemoryRule : std::uint8_t { kOff, kOn, kAuto };

[[nodiscard]] Words<MemoryRule> MemoryRuleWords();

// The option `capacity_test` of agents whose papers ignore memory.
template <class Settings>
[[nodiscard]] OptionRow<Settings> MemoryRuleRow(MemoryRule Settings::*member) {
  return {.name = "capacity_test",
          .field = Word(member, MemoryRuleWords()),
          .meaning =
              "when the schedule keeps to each device's memory, by sums of parameters and "
              "outputs: once no plan without it completed, never, or always",
          .paper = "off"};
}

// Calls `try_plans` for a share of the memory limits (no value: no limits); it evaluates plans and
// says whether one of them completed. With limits, kMemoryShares are tried until one does.
bool TryWithMemoryRule(MemoryRule rule,
                       const env::Problem& problem,
                       env::Evaluator& evaluator,
                       const std::function<bool(std::optional<double> memory_share)>& try_plans);

// TryWithMemoryRule with all plans that `make_plans` gives.
bool EvaluateWithMemoryRule(
    MemoryRule rule,
    const env::Problem& problem,
    env::Evaluator& evaluator,
    const std::function<std::vector<sim::Plan>(std::optional<double> memory_share)>& make_plans);

}  // namespace opyard::agents
