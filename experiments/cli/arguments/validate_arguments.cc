#include "experiments/cli/arguments/validate_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/validate.h"

namespace opyard::experiments {

void AddValidateArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(app,
                                       {.name = "validate",
                                        .summary = "simulate every stored plan again",
                                        .examples = "  opyard validate results/mine\n"
                                                    "  opyard validate results/best"});
  const auto options = std::make_shared<ValidateOptions>();
  subcommand
      .add_option(
          "results", options->results, "results folder or file, or a folder of best known plans")
      ->required()
      ->type_name("RESULTS");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ValidateResults);
}

}  // namespace opyard::experiments
