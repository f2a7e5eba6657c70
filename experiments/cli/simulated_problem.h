// The graph, the machine and the cost model of subcommands that simulate plans of a user.
#pragma once

#include <memory>
#include <string>

#include "env/problem.h"
#include "experiments/base/notice.h"
#include "sim/cost/cost_models.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

struct SimulatedProblemOptions {
  std::string graph;
  std::string hardware;
  std::string cost_model = sim::kDefaultCostModel;
};

// Adds --graph, --hardware and --cost-model to a subcommand, which `options` outlives.
void AddSimulatedProblem(CLI::App& subcommand, SimulatedProblemOptions& options);

// The problem of single ops that they name. Sends `notices` what readers of the graph and the
// machine assumed, and warnings where measured and modelled times meet or a peak is missing. Throws
// InputError, UnsupportedError as env::Problem.
[[nodiscard]] std::shared_ptr<const env::Problem> LoadSimulatedProblem(
    const SimulatedProblemOptions& options, const NoticeListener& notices);

}  // namespace opyard::experiments
