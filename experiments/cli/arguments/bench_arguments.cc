#include "experiments/cli/arguments/bench_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/bench_agents.h"
#include "experiments/cli/subcommands/bench_sim.h"

namespace opyard::experiments {

namespace {

void AddSim(CLI::App& group, Command& command) {
  CLI::App& sim =
      AddSubcommand(group,
                    {.name = "sim",
                     .summary = "ops per second of the simulator, fastest batch of each case",
                     .examples = "  opyard bench sim --quick --json"});
  const auto options = std::make_shared<BenchSimOptions>();
  AddJson(sim, options->json);
  sim.add_flag("--quick", options->quick, "shorter measurements");
  Choose(sim, command, options, &BenchSim);
}

void AddAgents(CLI::App& group, Command& command) {
  CLI::App& agents =
      AddSubcommand(group,
                    {.name = "agents",
                     .summary = "seconds that HEFT and METIS take for 80,000 ops, and BRKGA's "
                                "beside the runs of its plans",
                     .examples = "  opyard bench agents --json"});
  const auto options = std::make_shared<BenchAgentsOptions>();
  AddJson(agents, options->json);
  Choose(agents, command, options, &BenchAgents);
}

}  // namespace

void AddBenchArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app, {.name = "bench", .summary = "benchmarks", .examples = "  opyard bench sim --quick"});
  AddSim(group, command);
  AddAgents(group, command);
}

}  // namespace opyard::experiments
