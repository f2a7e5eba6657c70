// The command line: which verb, which options, which exit code.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "agents/registry.h"

namespace opyard::experiments {

// Runs `opyard ARGS…` (without the program's name) with the agents of `agents`. Figures go to
// `out`, errors and progress to `err`. Returns 0, 1 (it ran, but the answer is no or `out` did not
// take it), 2 (bad input: one line per problem on `err`), 3 (opyard is wrong), 130 (SIGINT or
// SIGTERM, which it handles while it runs) or 141 (nobody reads standard output any more).
//
// The catching boundary of both the program and the Python module: no exception leaves it.
[[nodiscard]] int RunCommandLine(const std::vector<std::string>& args,
                                 const agents::AgentRegistry& agents,
                                 std::ostream& out,
                                 std::ostream& err);

}  // namespace opyard::experiments
