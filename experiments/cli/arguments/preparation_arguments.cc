#include "experiments/cli/arguments/preparation_arguments.h"

#include <cstdint>
#include <limits>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/arguments/value_checks.h"

namespace opyard::experiments {

void AddPreparationArguments(CLI::App& subcommand,
                             const PreparationWords& words,
                             PreparationOptions& options) {
  subcommand
      .add_option("experiment", options.experiment, "experiment file, or a shipped one's name")
      ->required()
      ->type_name("EXPERIMENT");
  subcommand
      .add_option("--out", options.out, "folder of the " + words.work + " (default: results/NAME)")
      ->type_name("DIR");
  subcommand
      .add_option(
          "--agent", options.agent, "label of the agent (default: " + words.default_agent + ")")
      ->type_name("LABEL");
  subcommand.add_option("--seed", options.seed, "seed (default: the experiment's first)")
      ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max()));
  subcommand
      .add_option("--threads", options.threads, "threads that evaluate plans (default: all cores)")
      ->check(WholeNumber(1, 1024));
  subcommand.add_flag(
      "--resume", options.resume, "go on with the " + words.work + " in the folder");
  subcommand.add_option("--set", options.overrides, "override one key, e.g. " + words.override_key)
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  subcommand.add_flag("--quiet", options.quiet, "no progress");
  AddJson(subcommand, options.json);
}

}  // namespace opyard::experiments
