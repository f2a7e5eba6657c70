// The worth of a placement in a runtime that compiles nothing.
#pragma once

#include <optional>

#include "env/problem.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::env {

// `plan` as an eager runtime runs it: its placement, each device with its ops by topological index,
// no op fused, transfers without priorities and orders.
[[nodiscard]] sim::Plan EagerPlanOf(const sim::Plan& plan);

// The run of EagerPlanOf; nothing where the problem asks for such plans alone: its queue is
// kProgram, and nothing fuses. One simulation. Throws as Simulator::Run.
[[nodiscard]] std::optional<sim::SimResult> EagerRunOf(const Problem& problem,
                                                       const sim::Plan& plan);

}  // namespace opyard::env
