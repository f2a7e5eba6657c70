#include "experiments/cli/arguments/tune_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/preparation_arguments.h"
#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/tune.h"

namespace opyard::experiments {

void AddTuneArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "tune",
       .summary = "search the parameters of an agent over the graphs of an experiment's split",
       .examples = "  opyard tune tune-brkga-makespan --out results/tuned\n"
                   "  opyard tune tune-brkga-makespan --out results/tuned --resume\n"
                   "  opyard place --graph gnmt2 --hardware p100x4-pcie --agent brkga_tuned "
                   "--param settings=results/tuned/tuned.json"});
  const auto options = std::make_shared<PreparationOptions>();
  AddPreparationArguments(
      subcommand,
      {.work = "tuning", .default_agent = "the only one", .override_key = "tuning.trials=9"},
      *options);
  Choose(subcommand, command, options, &Tune);
}

}  // namespace opyard::experiments
