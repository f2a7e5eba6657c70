#include "experiments/cli/export.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct ExportWords {
  std::string function;
  std::string out;
  std::string name;
  std::string optimizer;
  bool is_forward = false;
};

CLI::App& AddKind(CLI::App& group,
                  const SubcommandHelp& help,
                  const std::shared_ptr<ExportWords>& words,
                  Command& command) {
  CLI::App& subcommand = AddSubcommand(group, help);
  subcommand
      .add_option("function", words->function, "what returns the step and its example arguments")
      ->required()
      ->type_name("MODULE:FUNCTION");
  subcommand.add_option("--out", words->out, "file to write")->required()->type_name("OUT");
  subcommand.callback([&command, name = help.name, words] {
    command = [name, words](const Console&) -> int {
      throw InputError(
          "opyard export " + name +
          ": this is the program alone; export is a subcommand of the Python package, whose "
          "command is called opyard, too: pip install . in the folder of the sources");
    };
  });
  return subcommand;
}

}  // namespace

void AddExportArguments(CLI::App& app, Command& command) {
  CLI::App& group =
      AddSubcommandGroup(app,
                         {.name = "export",
                          .summary = "models as graphs (Python package)",
                          .examples = "  opyard export torch mine:step --out mine.graph.json"});
  const auto words = std::make_shared<ExportWords>();
  CLI::App& torch = AddKind(
      group,
      {.name = "torch",
       .summary = "trace a PyTorch training step",
       .examples = "  opyard export torch mine:step --out mine.graph.json --optimizer adam"},
      words,
      command);
  torch.add_option("--name", words->name, "name of the graph (default: FUNCTION)")
      ->type_name("NAME");
  torch.add_option("--optimizer", words->optimizer, "what applies the gradients (default: none)")
      ->check(CLI::IsMember(
          {"none", "sgd", "momentum", "nesterov", "adagrad", "rmsprop", "lion", "adam", "adamw"}))
      ->type_name("RULE");
  torch.add_flag("--forward", words->is_forward, "only the forward pass");
  AddKind(group,
          {.name = "jax",
           .summary = "trace a JAX function for opyard graph convert",
           .examples = "  opyard export jax mine:step --out mine.hlo.txt.gz\n"
                       "  opyard graph convert mine.hlo.txt.gz --out mine.graph.json"},
          words,
          command);
  AddKind(group,
          {.name = "tensorflow",
           .summary = "trace a TensorFlow function for opyard graph convert",
           .examples = "  opyard export tensorflow mine:step --out mine.pb.gz\n"
                       "  opyard graph convert mine.pb.gz --out mine.graph.json"},
          words,
          command);
}

}  // namespace opyard::experiments
