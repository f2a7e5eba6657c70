#include "experiments/cli/bench/bench.h"

#include <CLI/CLI.hpp>

#include "experiments/cli/bench/agents.h"
#include "experiments/cli/bench/env.h"
#include "experiments/cli/bench/sim.h"
#include "experiments/cli/subcommand.h"

namespace opyard::experiments {

void AddBenchArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app, {.name = "bench", .summary = "benchmarks", .examples = "  opyard bench sim --quick"});
  AddBenchSimArguments(group, command);
  AddBenchEnvArguments(group, command);
  AddBenchAgentsArguments(group, command);
}

}  // namespace opyard::experiments
