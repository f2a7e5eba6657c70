// The frameworks that plans are exported to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "experiments/plans/layouts/stage_schedule.h"

namespace opyard::experiments {

// One framework. `write` makes its files; where a reason is added they are of no use. `round` makes
// the nearest placement that it can express. `run` is the step as the framework runs it, with the
// plan's placement; it adds reasons likewise.
struct LayoutTarget {
  std::string_view name;
  std::string_view meaning;  // for help
  Layout (*write)(const LayoutInput& input, std::vector<Inexpressible>& reasons);
  sim::OpPlacement (*round)(const LayoutInput& input);
  ScheduledStep (*run)(const LayoutInput& input, std::vector<Inexpressible>& reasons);
};

// All targets, sorted by name.
[[nodiscard]] std::span<const LayoutTarget> LayoutTargets();

// REQUIRES: a target has that name.
[[nodiscard]] const LayoutTarget& LayoutTargetOf(std::string_view name);

// The step in which each device runs its ops in the order of the program.
[[nodiscard]] ScheduledStep ProgramStep(const LayoutInput& input,
                                        std::vector<Inexpressible>& reasons);

}  // namespace opyard::experiments
