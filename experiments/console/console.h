// The surroundings of a command: where it writes, which agents there are, and the interrupt that
// stops it.
#pragma once

#include <ostream>

#include "agents/registry.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

// Figures and tables go to `out`, progress and errors to `err`. All that it refers to
// outlives it.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;  // progress may rewrite its line
  const InterruptFlag& interrupt;
  const agents::AgentRegistry& agents;
};

// The exit codes of a command.
inline constexpr int kSuccess = 0;
// It ran, and a check failed, a plan did not complete, or its output could not be written.
inline constexpr int kAnswerIsNo = 1;
inline constexpr int kBadInput = 2;       // a file, a reference or the command line is wrong
inline constexpr int kInternalError = 3;  // opyard is wrong
inline constexpr int kInterrupted = 130;  // SIGINT or SIGTERM, as shells report Ctrl-C
inline constexpr int kNobodyReads = 141;  // the reader of the output left: as shells report SIGPIPE

}  // namespace opyard::experiments
