#include "experiments/cli/arguments/train_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/preparation_arguments.h"
#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/train.h"

namespace opyard::experiments {

void AddTrainArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "train",
       .summary = "train an agent over the graphs of an experiment's split",
       .examples = "  opyard train train-small --out results/small\n"
                   "  opyard train train-small --out results/small --resume\n"
                   "  opyard place --graph gnmt2 --hardware p100x4-pcie --agent reinforce_lstm "
                   "--checkpoint results/small/weights.opyard"});
  const auto options = std::make_shared<PreparationOptions>();
  AddPreparationArguments(subcommand,
                          {.work = "training",
                           .default_agent = "the only one that can",
                           .override_key = "training.updates=10"},
                          *options);
  Choose(subcommand, command, options, &Train);
}

}  // namespace opyard::experiments
