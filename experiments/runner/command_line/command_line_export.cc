#include "experiments/runner/command_line/command_line_export.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// What only the Python package reads.
struct ExportWords {
  std::string function;
  std::string out;
  std::string name;
  std::string optimizer;
  bool is_forward = false;
};

CLI::App& AddKind(CLI::App& group,
                  const std::string& name,
                  const std::string& help,
                  const std::shared_ptr<ExportWords>& words,
                  Command& command) {
  CLI::App& verb = *group.add_subcommand(name, help);
  verb.add_option("function", words->function, "what returns the step and its example arguments")
      ->required()
      ->type_name("MODULE:FUNCTION");
  verb.add_option("--out", words->out, "file to write")->required()->type_name("OUT");
  verb.callback([&command, name, words] {
    command = [name, words](const Console&) -> int {
      throw InputError("opyard export " + name +
                       ": this is the program alone; export is a verb of the Python package, whose "
                       "command is called opyard, too: pip install . in the folder of the sources");
    };
  });
  return verb;
}

}  // namespace

void AddExport(CLI::App& app, Command& command) {
  CLI::App& group = *app.add_subcommand("export", "models as graphs (Python package)");
  group.require_subcommand(1);
  const auto words = std::make_shared<ExportWords>();
  CLI::App& torch = AddKind(group, "torch", "trace a PyTorch training step", words, command);
  torch.add_option("--name", words->name, "name of the graph (default: FUNCTION)")
      ->type_name("NAME");
  torch.add_option("--optimizer", words->optimizer, "what applies the gradients (default: none)")
      ->check(CLI::IsMember({"none", "sgd", "momentum", "adam"}))
      ->type_name("RULE");
  torch.add_flag("--forward", words->is_forward, "only the forward pass");
  AddKind(group, "jax", "trace a JAX function for opyard graph convert", words, command);
  AddKind(
      group, "tensorflow", "trace a TensorFlow function for opyard graph convert", words, command);
}

}  // namespace opyard::experiments
