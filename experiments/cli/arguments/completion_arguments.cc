#include "experiments/cli/arguments/completion_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/completion.h"

namespace opyard::experiments {

void AddCompletionArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "completion",
       .summary = "print a script that completes words",
       .examples = "  opyard completion bash > ~/.local/share/bash-completion/completions/opyard"});
  const auto options = std::make_shared<CompletionOptions>();
  subcommand.add_option("shell", options->shell, "the shell that reads the script")
      ->required()
      ->check(CLI::IsMember({"bash", "fish", "zsh"}))
      ->type_name("SHELL");
  Choose(subcommand, command, options, &PrintCompletionScript);
}

}  // namespace opyard::experiments
