// Waits of transfers for their turn on channels whose transfers a plan orders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// A sentence that says which channel the transfer at `slot` of the workspace waits for, and which
// copy is next there; nothing where it is the next of all of its channels.
[[nodiscard]] std::optional<std::string> WaitForTurn(const LoweredProblem& problem,
                                                     const Workspace& workspace,
                                                     const Plan& plan,
                                                     std::int32_t slot);

}  // namespace opyard::sim
