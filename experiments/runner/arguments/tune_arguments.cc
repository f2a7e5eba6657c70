#include "experiments/runner/arguments/tune_arguments.h"

#include <cstdint>
#include <limits>
#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/runner/arguments/value_checks.h"
#include "experiments/runner/arguments/verb_arguments.h"
#include "experiments/runner/verbs/tune.h"

namespace opyard::experiments {

void AddTuneArguments(CLI::App& app, Command& command) {
  CLI::App& verb = AddVerb(
      app,
      {.name = "tune",
       .summary = "search the parameters of an agent over the graphs of an experiment's split",
       .examples = "  opyard tune tune-brkga-makespan --out results/tuned\n"
                   "  opyard tune tune-brkga-makespan --out results/tuned --resume\n"
                   "  opyard place --graph gnmt2 --hardware p100x4-pcie --agent brkga_tuned "
                   "--param settings=results/tuned/tuned.json"});
  const auto options = std::make_shared<TuneOptions>();
  verb.add_option("experiment", options->experiment, "experiment file, or a shipped one's name")
      ->required()
      ->type_name("EXPERIMENT");
  verb.add_option("--out", options->out, "folder of the tuning (default: results/NAME)")
      ->type_name("DIR");
  verb.add_option("--agent", options->agent, "label of the agent (default: the only one)")
      ->type_name("LABEL");
  verb.add_option("--seed", options->seed, "seed (default: the experiment's first)")
      ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max()));
  verb.add_option("--threads", options->threads, "threads that judge plans (default: all cores)")
      ->check(WholeNumber(1, 1024));
  verb.add_flag("--resume", options->resume, "go on with the tuning in the folder");
  verb.add_option("--set", options->overrides, "override one key, e.g. tuning.trials=9")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  verb.add_flag("--quiet", options->quiet, "no progress");
  AddJson(verb, options->json);
  Choose(verb, command, options, &Tune);
}

}  // namespace opyard::experiments
