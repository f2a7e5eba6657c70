#include "experiments/runner/arguments/simulate_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/runner/arguments/value_checks.h"
#include "experiments/runner/arguments/verb_arguments.h"
#include "experiments/runner/verbs/simulate.h"

namespace opyard::experiments {

void AddSimulateArguments(CLI::App& app, Command& command) {
  CLI::App& verb = AddVerb(app,
                           {.name = "simulate",
                            .summary = "execute one plan",
                            .examples = "  opyard simulate --graph gnmt2 --hardware p100x2-pcie "
                                        "--plan best.plan.json --explain\n"
                                        "  opyard simulate --graph gnmt2 --hardware p100x2-pcie "
                                        "--plan best.plan.json --trace best.trace.json"});
  const auto options = std::make_shared<SimulateOptions>();
  AddGraphAndMachine(verb, options->graph, options->hardware);
  verb.add_option("--plan", options->plan, "plan file")->required()->type_name("PLAN");
  verb.add_flag("--ops", options->ops, "start and finish of each op");
  verb.add_flag("--explain",
                options->explain,
                "why it takes so long: the critical path in words, idle time by reason, what fills "
                "the memory, what if, and the decisions that matter most (on all cores)");
  verb.add_option("--trace",
                  options->trace,
                  "write a timeline for ui.perfetto.dev and chrome://tracing (.json or .json.gz)")
      ->type_name("FILE");
  CLI::Option& gantt = *verb.add_flag("--gantt", options->gantt, "draw a timeline of characters");
  verb.add_option("--width", options->width, "columns of the drawing (default: the terminal's)")
      ->check(WholeNumber(20, 1000))
      ->needs(&gantt);
  AddJson(verb, options->json).excludes(&gantt);
  Choose(verb, command, options, &Simulate);
}

}  // namespace opyard::experiments
