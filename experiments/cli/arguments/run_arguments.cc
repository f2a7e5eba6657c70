#include "experiments/cli/arguments/run_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/arguments/value_checks.h"
#include "experiments/cli/subcommands/run.h"

namespace opyard::experiments {

void AddRunArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "run",
       .summary = "run an experiment: graphs x machines x agents x seeds",
       .examples = "  opyard run quickstart --out results/mine --set budget.evaluations=100\n"
                   "  opyard run quickstart --out results/mine --resume\n"
                   "  opyard run quickstart --out results/piece1 --shard 1/2"});
  subcommand.alias("sweep");
  const auto options = std::make_shared<RunOptions>();
  subcommand
      .add_option("experiment", options->experiment, "experiment file, or a shipped one's name")
      ->required()
      ->type_name("EXPERIMENT");
  subcommand.add_option("--out", options->out, "results folder (default: results/NAME)")
      ->type_name("DIR");
  subcommand
      .add_option(
          "--jobs", options->jobs, "runs at once; the cores are shared among them (default: 1)")
      ->check(WholeNumber(1, 1024));
  subcommand.add_flag("--resume", options->resume, "go on with the results in the folder");
  subcommand.add_option("--set", options->overrides, "override one key, e.g. budget.seconds=10")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  subcommand
      .add_option("--checkpoint",
                  options->checkpoint,
                  "weights that every agent that takes some begins with")
      ->type_name("FILE");
  subcommand.add_flag("--no-training",
                      options->is_untrained,
                      "agents that the experiment's split would train begin untrained");
  subcommand
      .add_option("--shard",
                  options->shard,
                  "run one piece of the matrix, e.g. 2/4; join them with opyard results merge")
      ->type_name("I/N");
  subcommand.add_flag("--quiet", options->quiet, "no progress");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &RunExperiment);
}

}  // namespace opyard::experiments
