#include "experiments/runner/arguments/problem_arguments.h"

#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/runner/arguments/value_checks.h"
#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

env::Objective ObjectiveNamed(const std::string& text, ProblemList& problems) {
  if (text == "makespan") {
    return {};
  }
  if (text == "peak_memory") {
    return {.kind = env::ObjectiveKind::kPeakMemory};
  }
  const std::vector<std::string> parts = CLI::detail::split(text, ':');
  env::Objective objective{.kind = env::ObjectiveKind::kWeighted};
  if (parts.size() == 3 && parts[0] == "weighted") {
    const OptionValue makespan = ParseOptionValue(parts[1]);
    const OptionValue memory = ParseOptionValue(parts[2]);
    Options weights({{"makespan", makespan}, {"peak_memory", memory}});
    constexpr double kHeaviest = 1e9;
    objective.makespan_weight = weights.Double("makespan", 0.0, 0.0, kHeaviest);
    objective.peak_memory_weight = weights.Double("peak_memory", 0.0, 0.0, kHeaviest);
    if (objective.makespan_weight + objective.peak_memory_weight > 0.0) {
      return objective;
    }
  }
  problems.Add("--objective",
               "found " + Quoted(text) +
                   ", expected makespan, peak_memory or weighted:A:B with a weight above 0, for "
                   "A x makespan / lower bound + B x peak memory / largest device");
  return {};
}

}  // namespace

void AddProblem(CLI::App& verb, ProblemArguments& arguments) {
  verb.add_option("--tasks", arguments.tasks, "what is decided (default: placement,scheduling)")
      ->type_name("TASK,…");
  verb.add_option(
          "--objective",
          arguments.objective,
          "makespan (seconds), peak_memory (bytes), or weighted:A:B for A x makespan / lower "
          "bound + B x peak memory / largest device, a number without unit")
      ->type_name("OBJECTIVE");
  verb.add_option(
          "--queue", arguments.queue, "queues where scheduling is not decided: fifo, priority")
      ->check(CLI::IsMember({"fifo", "priority"}))
      ->type_name("QUEUE");
  verb.add_option("--fusion",
                  arguments.fusion,
                  "fusion where it is not decided: framework (all that may), none")
      ->check(CLI::IsMember({"framework", "none"}))
      ->type_name("FUSION");
  verb.add_option("--decide-per", arguments.decide_per, "unit of decision: group, op")
      ->check(CLI::IsMember({"group", "op"}))
      ->type_name("UNIT");
  verb.add_option("--max-groups", arguments.max_groups, "most groups (default: 512)")
      ->check(WholeNumber(1, 1'000'000));
}

ProblemConfig ToProblem(const ProblemArguments& arguments) {
  ProblemConfig problem{.max_groups = arguments.max_groups};
  ProblemList problems;
  if (arguments.tasks.has_value()) {
    problem.tasks = TasksNamed(CLI::detail::split(*arguments.tasks, ','), "--tasks", problems);
  }
  problem.objective = ObjectiveNamed(arguments.objective, problems);
  problem.default_queue =
      arguments.queue == "fifo" ? sim::QueueDiscipline::kFifo : sim::QueueDiscipline::kPriority;
  problem.default_fusion =
      arguments.fusion == "none" ? env::DefaultFusion::kNone : env::DefaultFusion::kFramework;
  problem.decide_per = arguments.decide_per == "op" ? env::DecidePer::kOp : env::DecidePer::kGroup;
  problems.ThrowIfAny();
  return problem;
}

}  // namespace opyard::experiments
