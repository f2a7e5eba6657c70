#include "experiments/cli/arguments/place_arguments.h"

#include <cstdint>
#include <limits>
#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/problem_arguments.h"
#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/arguments/value_checks.h"
#include "experiments/cli/subcommands/place.h"

namespace opyard::experiments {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<std::int64_t>::max();

}  // namespace

void AddPlaceArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "place",
       .summary = "search one plan with one agent",
       .examples = "  opyard place --graph gnmt2 --hardware p100x2-pcie --evaluations 5000 --out "
                   "best.plan.json\n"
                   "  opyard place --graph gnmt2 --hardware p100x2-pcie --agent random "
                   "--objective weighted:1:0.1 --out small.plan.json"});
  const auto options = std::make_shared<PlaceOptions>();
  const auto problem = std::make_shared<ProblemArguments>();
  AddGraphAndMachine(subcommand, options->graph, options->hardware);
  subcommand
      .add_option(
          "--agent", options->agent, "agent (see opyard agents list; default: auto, a portfolio)")
      ->type_name("AGENT");
  subcommand.add_option("--param", options->params, "one parameter of the agent")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  subcommand
      .add_option("--checkpoint",
                  options->checkpoint,
                  "weights to begin with, as opyard train writes them (default: fresh ones)")
      ->type_name("FILE");
  subcommand
      .add_option("--evaluations", options->budget.evaluations, "plans to try (default: 2000)")
      ->check(WholeNumber(1, std::int64_t{1} << 40));
  subcommand.add_option("--seconds", options->budget.seconds, "wall time to spend")
      ->check(PositiveSeconds());
  subcommand.add_option("--seed", options->seed, "seed (default: 0)")
      ->check(WholeNumber(0, kLargestInt));
  subcommand
      .add_option("--reference",
                  options->reference,
                  "score that an agent that learns is rewarded against, in the units of the "
                  "objective (default: that of single_device)")
      ->check(PositiveNumber());
  subcommand.add_option("--threads", options->threads, "threads (default: one per core)")
      ->check(WholeNumber(1, 1024));
  AddProblem(subcommand, *problem);
  subcommand.add_option("--out", options->out, "plan file to write (default: none)")
      ->type_name("PLAN");
  AddJson(subcommand, options->json);
  subcommand.callback([&command, options, problem] {
    command = [options, problem](const Console& console) {
      options->problem = ToProblem(*problem);
      return Place(*options, console);
    };
  });
}

}  // namespace opyard::experiments
