#include "experiments/cli/problem_arguments.h"

#include <CLI/CLI.hpp>

#include "env/problem_words.h"
#include "experiments/cli/value_checks.h"
#include "sim/base/error.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

std::optional<env::TaskSet> ReadTasks(const std::string& text,
                                      const std::string& place,
                                      Diagnostics& diagnostics) {
  return env::ReadTasks(env::SplitTasks(text), place, diagnostics);
}

template <class Value>
using Reading = std::optional<Value> (*)(const std::string& word,
                                         const std::string& place,
                                         Diagnostics& diagnostics);

// What `word` stands for, if it is given.
template <class Value>
void ReadWord(const std::optional<std::string>& word,
              const std::string& option,
              Reading<Value> read,
              Value& into,
              Diagnostics& diagnostics) {
  if (word.has_value()) {
    into = read(*word, option, diagnostics).value_or(into);
  }
}

}  // namespace

void AddProblem(CLI::App& subcommand, ProblemArguments& arguments) {
  subcommand
      .add_option("--tasks", arguments.tasks, "what is decided (default: placement,scheduling)")
      ->type_name("TASK,…");
  subcommand
      .add_option(
          "--objective",
          arguments.objective,
          "makespan (seconds), peak_memory (bytes), or weighted:A:B for A x makespan / lower "
          "bound + B x peak memory / largest device, a number without unit")
      ->type_name("OBJECTIVE");
  subcommand
      .add_option("--queue",
                  arguments.queue,
                  "queues where scheduling is not decided: " + JoinNames(sim::QueueNames()))
      ->type_name("QUEUE");
  subcommand
      .add_option("--fusion",
                  arguments.fusion,
                  "fusion where it is not decided: framework (all that may), none")
      ->type_name("FUSION");
  subcommand.add_option("--decide-per", arguments.decide_per, "unit of decision: group, op")
      ->type_name("UNIT");
  subcommand
      .add_option("--memory",
                  arguments.memory,
                  "on a device that is full, instead of what the machine says: fail, wait, ignore")
      ->type_name("RULE");
  subcommand
      .add_option("--devices",
                  arguments.devices,
                  "devices that ops may be placed on (default: all of the machine)")
      ->type_name("DEVICE,…");
  subcommand
      .add_option("--max-groups",
                  arguments.max_groups,
                  "most groups (default: " + std::to_string(env::kDefaultMaxGroups) + ")")
      ->check(WholeNumber(1, env::kMostGroups));
}

ProblemConfig ToProblem(const ProblemArguments& arguments) {
  ProblemConfig problem;
  Diagnostics diagnostics;
  problem.max_groups = arguments.max_groups;
  ReadWord(arguments.tasks, "--tasks", ReadTasks, problem.tasks, diagnostics);
  ReadWord(arguments.objective, "--objective", env::ReadObjective, problem.objective, diagnostics);
  ReadWord(arguments.queue, "--queue", env::ReadQueue, problem.default_queue, diagnostics);
  ReadWord(arguments.fusion, "--fusion", env::ReadFusion, problem.default_fusion, diagnostics);
  ReadWord(
      arguments.decide_per, "--decide-per", env::ReadDecidePer, problem.decide_per, diagnostics);
  if (arguments.memory.has_value()) {
    problem.memory = ReadMemory(*arguments.memory, "--memory", diagnostics);
  }
  if (arguments.devices.has_value()) {
    problem.devices =
        env::ReadDevices(*arguments.devices, "--devices", diagnostics).value_or(problem.devices);
  }
  diagnostics.ThrowIfAny();
  return problem;
}

}  // namespace opyard::experiments
