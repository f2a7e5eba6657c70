#include "experiments/cli/arguments/agents_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/agents.h"

namespace opyard::experiments {

void AddAgentsArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app, {.name = "agents", .summary = "agents", .examples = "  opyard agents list"});
  CLI::App& list = AddSubcommand(
      group, {.name = "list", .summary = "all agents", .examples = "  opyard agents list --json"});
  const auto list_options = std::make_shared<AgentsListOptions>();
  AddJson(list, list_options->json);
  Choose(list, command, list_options, &PrintAgentsList);
  CLI::App& show = AddSubcommand(
      group, {.name = "show", .summary = "one agent", .examples = "  opyard agents show heft"});
  const auto show_options = std::make_shared<AgentsShowOptions>();
  show.add_option("name", show_options->name, "agent")->required()->type_name("AGENT");
  AddJson(show, show_options->json);
  Choose(show, command, show_options, &PrintAgent);
}

}  // namespace opyard::experiments
