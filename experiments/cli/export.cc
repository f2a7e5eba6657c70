#include "experiments/cli/export.h"

#include <cstdint>
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

// The same of measurements and runs.
struct ExecutionWords {
  std::string plan;
  std::string model;
  std::string graph;
  std::string hardware;
  std::string devices;
  std::string out;
  std::string optimizer;
  std::string name;
  std::string trace;
  std::string csv;
  std::int64_t repeat = 0;
  std::int64_t warmup = 0;
  std::int64_t seed = 0;
  double seconds = 0;
  double timeout = 0;
  bool is_forward = false;
  bool json = false;
};

// The arguments that both have.
void AddCommonOptions(CLI::App& subcommand, ExecutionWords& words) {
  subcommand.add_option("--model", words.model, "what returns the step and its example arguments")
      ->required()
      ->type_name("MODULE:FUNCTION");
  subcommand.add_option("--devices", words.devices, "cpu:CORE, cpu (all cores), cuda:INDEX")
      ->required()
      ->type_name("D,D");
  subcommand.add_option("--seed", words.seed, "of weights and inputs (default: 0)")->type_name("K");
  subcommand
      .add_option(
          "--timeout", words.timeout, "seconds that a process waits for another (default: 300)")
      ->type_name("S");
  AddJson(subcommand, words.json);
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

void AddMeasureArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(app,
                    {.name = "measure",
                     .summary = "time a model's ops on real devices (Python package)",
                     .examples = "  opyard measure --model mine:step --devices cpu:0,cpu:1 "
                                 "--optimizer adam --out measured"});
  const auto words = std::make_shared<ExecutionWords>();
  AddCommonOptions(subcommand, *words);
  subcommand.add_option("--out", words->out, "folder of the graph and the machine")
      ->required()
      ->type_name("DIR");
  subcommand
      .add_option("--optimizer", words->optimizer, "what applies the gradients (default: none)")
      ->check(CLI::IsMember(
          {"none", "sgd", "momentum", "nesterov", "adagrad", "rmsprop", "lion", "adam", "adamw"}))
      ->type_name("RULE");
  subcommand.add_flag("--forward", words->is_forward, "only the forward pass");
  subcommand.add_option("--name", words->name, "name of the graph (default: FUNCTION)")
      ->type_name("NAME");
  subcommand.add_option("--seconds", words->seconds, "of steps on each device (default: 30)")
      ->type_name("S");
  RefuseWithoutPackage(subcommand, command, words, "measure");
}

void AddExecuteArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(app,
                    {.name = "execute",
                     .summary = "run a plan on real devices and check its result (Python package)",
                     .examples = "  opyard execute mine.plan.json --model mine:step --graph "
                                 "m.graph.json --hardware m.yaml --devices cpu:0,cpu:1"});
  const auto words = std::make_shared<ExecutionWords>();
  subcommand.add_option("plan", words->plan, "plan to run")->required()->type_name("PLAN");
  AddCommonOptions(subcommand, *words);
  AddGraphAndMachine(subcommand, words->graph, words->hardware);
  subcommand.add_option("--repeat", words->repeat, "steps that are timed (default: 20)")
      ->type_name("N");
  subcommand.add_option("--warmup", words->warmup, "steps before (default: 3)")->type_name("N");
  subcommand
      .add_option("--trace", words->trace, "one step and its simulation, for ui.perfetto.dev")
      ->type_name("FILE");
  subcommand.add_option("--csv", words->csv, "file that gets a row")->type_name("FILE");
  RefuseWithoutPackage(subcommand, command, words, "execute");
}

}  // namespace opyard::experiments
