// The command line: its subcommands, options and exit codes.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "agents/registry.h"

namespace opyard::experiments {

// Runs `opyard ARGS…` (without the program's name) with the agents of `agents`. Figures go to
// `out`, errors and progress to `err`. Returns 0, or 1 if it ran, but the answer is no or `out` did
// not take it. Returns 2 for bad input, with one line per problem on `err`, and 3 if opyard is
// wrong. Returns 130 after SIGINT or SIGTERM, which it handles while it runs, and 141 if nobody
// reads standard output any more.
//
// The catching boundary of both the program and the Python module: no exception leaves it.
[[nodiscard]] int RunCommandLine(const std::vector<std::string>& args,
                                 const agents::AgentRegistry& agents,
                                 std::ostream& out,
                                 std::ostream& err);

}  // namespace opyard::experiments
