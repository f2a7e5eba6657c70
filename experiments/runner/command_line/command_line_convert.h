// The arguments of `opyard graph convert`.
#pragma once

#include "experiments/runner/command_line/command_line_parser.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds the verb to `group`; when it is chosen, `command` becomes the call to make.
void AddGraphConvert(CLI::App& group, Command& command);

}  // namespace opyard::experiments
