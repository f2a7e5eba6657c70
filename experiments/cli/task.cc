#include "experiments/cli/task.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"

namespace opyard::experiments {
namespace {

// Arguments that only the Python package reads.
struct TaskWords {
  std::string folder;
  std::string program;
  std::string framework;
  std::vector<std::string> graphs;
  std::vector<std::string> machines;
  std::string evaluations;
  std::string seed;
  bool is_hidden = false;
  bool json = false;
};

void AddNewArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "new",
       .summary = "write a folder for a program search: seed program, evaluator, configuration",
       .examples = "  opyard task new search --for openevolve"});
  const auto words = std::make_shared<TaskWords>();
  subcommand.add_option("folder", words->folder, "folder to make")->required()->type_name("DIR");
  subcommand.add_option("--for", words->framework, "framework that searches")
      ->required()
      ->check(CLI::IsMember({"openevolve", "skydiscover"}))
      ->type_name("FRAMEWORK");
  subcommand.add_option("--graph", words->graphs, "own workload, may be repeated")
      ->type_name("GRAPH");
  subcommand.add_option("--hardware", words->machines, "its machine, may be repeated")
      ->type_name("MACHINE");
  subcommand.add_option("--evaluations", words->evaluations, "for the best plan of own workloads")
      ->type_name("N");
  AddJson(subcommand, words->json);
  RefuseWithoutPackage(subcommand, command, words, "task new");
}

void AddScoreArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "score",
                     .summary = "score a program beside controls, on hidden workloads too",
                     .examples = "  opyard task score search search/initial_program.py --hidden"});
  const auto words = std::make_shared<TaskWords>();
  subcommand.add_option("folder", words->folder, "folder of task new")
      ->required()
      ->type_name("DIR");
  subcommand.add_option("program", words->program, "program to score")
      ->required()
      ->type_name("PROGRAM");
  subcommand.add_flag("--hidden", words->is_hidden, "also on workloads that no search has seen");
  subcommand.add_option("--seed", words->seed, "of the hidden workloads (default: a new one)")
      ->type_name("N");
  subcommand.add_option("--evaluations", words->evaluations, "of auto, a control (default: 2000)")
      ->type_name("N");
  AddJson(subcommand, words->json);
  RefuseWithoutPackage(subcommand, command, words, "task score");
}

}  // namespace

void AddTaskArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app,
      {.name = "task",
       .summary = "program search with OpenEvolve or SkyDiscover (Python package)",
       .examples = "  opyard task new search --for openevolve\n"
                   "  opyard task score search search/initial_program.py --hidden"});
  AddNewArguments(group, command);
  AddScoreArguments(group, command);
}

}  // namespace opyard::experiments
