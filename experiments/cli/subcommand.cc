#include "experiments/cli/subcommand.h"

#include "sim/base/error.h"

namespace opyard::experiments {

CLI::App& AddSubcommand(CLI::App& parent, const SubcommandHelp& help) {
  CLI::App& subcommand = *parent.add_subcommand(help.name, help.summary);
  subcommand.footer("Examples:\n" + help.examples);
  return subcommand;
}

CLI::App& AddSubcommandGroup(CLI::App& parent, const SubcommandHelp& help) {
  CLI::App& group = AddSubcommand(parent, help);
  group.require_subcommand(1);
  return group;
}

CLI::Option& AddJson(CLI::App& subcommand, bool& json) {
  return *subcommand.add_flag("--json", json, "print JSON");
}

void AddGraphAndMachine(CLI::App& subcommand, std::string& graph, std::string& hardware) {
  subcommand.add_option("--graph", graph, kGraphHelp)->required()->type_name("GRAPH");
  subcommand.add_option("--hardware", hardware, "machine file or name")
      ->required()
      ->type_name("MACHINE");
}

void AddGraphArgument(CLI::App& subcommand, std::string& graph) {
  subcommand.add_option("graph", graph, kGraphHelp)->required()->type_name("GRAPH");
}

void RefuseWithoutPackage(CLI::App& subcommand,
                          Command& command,
                          const std::shared_ptr<void>& words,
                          const std::string& name,
                          const std::string& package) {
  subcommand.callback([&command, words, name, package] {
    command = [words, name, package](const Console&) -> int {
      throw InputError("opyard " + name + ": this is the program alone; " + name +
                       " is a subcommand of the Python package, whose command is called opyard, "
                       "too: pip install " +
                       package + " in the folder of the sources");
    };
  });
}

}  // namespace opyard::experiments
