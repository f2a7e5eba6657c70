#include "experiments/runner/arguments/verb_arguments.h"

namespace opyard::experiments {

CLI::App& AddVerb(CLI::App& parent, const VerbHelp& help) {
  CLI::App& verb = *parent.add_subcommand(help.name, help.summary);
  verb.footer("Examples:\n" + help.examples);
  return verb;
}

CLI::App& AddVerbGroup(CLI::App& parent, const VerbHelp& help) {
  CLI::App& group = AddVerb(parent, help);
  group.require_subcommand(1);
  return group;
}

CLI::Option& AddJson(CLI::App& verb, bool& json) {
  return *verb.add_flag("--json", json, "print JSON");
}

void AddGraphAndMachine(CLI::App& verb, std::string& graph, std::string& hardware) {
  verb.add_option("--graph", graph, "graph file, name or family")->required()->type_name("GRAPH");
  verb.add_option("--hardware", hardware, "machine file or name")->required()->type_name("MACHINE");
}

}  // namespace opyard::experiments
