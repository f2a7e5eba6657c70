#include "experiments/cli/arguments/simulate_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/arguments/value_checks.h"
#include "experiments/cli/subcommands/simulate.h"

namespace opyard::experiments {

void AddSimulateArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(app,
                    {.name = "simulate",
                     .summary = "execute one plan",
                     .examples = "  opyard simulate --graph gnmt2 --hardware p100x2-pcie "
                                 "--plan best.plan.json --explain\n"
                                 "  opyard simulate --graph gnmt2 --hardware p100x2-pcie "
                                 "--plan best.plan.json --trace best.trace.json"});
  const auto options = std::make_shared<SimulateOptions>();
  AddGraphAndMachine(subcommand, options->graph, options->hardware);
  subcommand.add_option("--plan", options->plan, "plan file")->required()->type_name("PLAN");
  subcommand.add_flag("--ops", options->ops, "start and finish of each op");
  subcommand.add_flag(
      "--explain",
      options->explain,
      "why it takes so long: the critical path in words, idle time by reason, what fills "
      "the memory, what if, and the decisions that matter most (on all cores)");
  subcommand
      .add_option("--trace",
                  options->trace,
                  "write a timeline for ui.perfetto.dev and chrome://tracing (.json or .json.gz)")
      ->type_name("FILE");
  CLI::Option& gantt =
      *subcommand.add_flag("--gantt", options->gantt, "print a timeline of characters");
  subcommand
      .add_option("--width", options->width, "columns of the timeline (default: the terminal's)")
      ->check(WholeNumber(20, 1000))
      ->needs(&gantt);
  AddJson(subcommand, options->json).excludes(&gantt);
  Choose(subcommand, command, options, &Simulate);
}

}  // namespace opyard::experiments
