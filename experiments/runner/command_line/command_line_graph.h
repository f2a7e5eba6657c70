// The arguments of the verbs of `opyard graph` that work on whole graphs.
#pragma once

#include "experiments/runner/command_line/command_line_parser.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds info, list, coarsen, show, diff, annotate, sample and workloads to `group`; the one that is
// chosen makes `command` the call to make.
void AddGraphVerbs(CLI::App& group, Command& command);

}  // namespace opyard::experiments
