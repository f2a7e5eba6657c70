#include "experiments/cli/simulated_problem.h"

#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "env/problem_fields.h"
#include "experiments/cli/subcommand.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/measured_text.h"
#include "experiments/graphs/peaks_text.h"
#include "experiments/machines/machine_loading.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

env::ProblemSettings SettingsOf(const SimulatedProblemOptions& options) {
  env::ProblemSettings settings{.decide_per = env::DecidePer::kOp};
  Diagnostics diagnostics;
  env::FieldOf("cost_model").read(options.cost_model, "--cost-model", settings, diagnostics);
  diagnostics.ThrowIfAny();
  return settings;
}

}  // namespace

void AddSimulatedProblem(CLI::App& subcommand, SimulatedProblemOptions& options) {
  AddGraphAndMachine(subcommand, options.graph, options.hardware);
  subcommand
      .add_option("--cost-model",
                  options.cost_model,
                  std::string(env::FieldOf("cost_model").meaning) + " (default: roofline)")
      ->type_name("COST_MODEL");
}

std::shared_ptr<const env::Problem> LoadSimulatedProblem(const SimulatedProblemOptions& options,
                                                         const NoticeListener& notices) {
  env::ProblemSettings settings = SettingsOf(options);
  auto problem = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = LoadGraph(options.graph, notices),
                       .hardware = LoadMachine(options.hardware, notices),
                       .settings = std::move(settings)});
  WarnOfMeasured(options.graph, *problem, notices);
  WarnOfPeaks(options.graph, *problem, notices);
  return problem;
}

}  // namespace opyard::experiments
