#include "experiments/runner/command_line/command_line_convert.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/runner/verbs/graph/convert.h"

namespace opyard::experiments {

void AddGraphConvert(CLI::App& group, Command& command) {
  CLI::App& verb =
      *group.add_subcommand("convert", "read a graph of any tool, write ours, GraphML or DOT");
  const auto options = std::make_shared<GraphConvertOptions>();
  verb.add_option("graph", options->graph, "file to read, or a graph that can be named")
      ->required()
      ->type_name("IN");
  verb.add_option("--out", options->out, "file to write: .json, .graphml or .dot")
      ->required()
      ->type_name("OUT");
  verb.add_option("--from", options->from, "format, if it is not found: " + ImporterHelp())
      ->type_name("FORMAT");
  verb.add_option("--option", options->options, "one option of the format (docs/importing.md)")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  verb.add_flag("--json", options->json, "print JSON");
  verb.callback([&command, options] {
    command = [options](const Console& console) { return ConvertGraph(*options, console); };
  });
}

}  // namespace opyard::experiments
