#include "experiments/cli/dry_run.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/config/resolved.h"
#include "experiments/console/notice_printing.h"
#include "experiments/matrix/matrix_cells.h"
#include "experiments/matrix/prepared_experiment.h"
#include "experiments/matrix/run_matrix.h"
#include "experiments/text/number_format.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> TrainedAgents(const ExperimentConfig& config) {
  std::vector<std::string> labels;
  for (const AgentConfig& agent : config.agents) {
    if (agent.is_trained) {
      labels.push_back(agent.label);
    }
  }
  return labels;
}

// One line; docs/formats.md explains its keys, "What other subcommands answer".
std::string DryRunJson(const PreparedExperiment& experiment,
                       const std::filesystem::path& folder,
                       std::size_t num_runs,
                       const agents::AgentRegistry& registry) {
  std::map<std::string, std::string> graphs;
  std::map<std::string, std::string> machines;
  for (const PreparedProblem& problem : experiment.problems) {
    graphs[problem.graph] = problem.graph_sha256;
    machines[problem.hardware] = problem.hardware_sha256;
  }
  const ExperimentConfig& config = experiment.config;
  const std::optional<std::string> indivisible = FindPieceProblem(config, registry);
  return Json{{"experiment", config.name},
              {"experiment_folder", config.folder.generic_string()},
              {"results", folder.generic_string()},
              {"runs", num_runs},
              {"indivisible", indivisible.has_value() ? Json(*indivisible) : Json(nullptr)},
              {"graphs", graphs},
              {"hardware", machines},
              {"trained", TrainedAgents(config)},
              {"resolved", Json::parse(ResolvedText(config))}}
      .dump();
}

}  // namespace

int PrintDryRun(ExperimentConfig config, const DryRunOptions& options, const Console& console) {
  const PreparedExperiment experiment = PrepareExperiment(std::move(config), NoticesOn(console));
  const ExpectedMatrix matrix = MatrixOf(experiment, console.agents, {});
  const std::size_t num_runs = CellsOf(experiment, matrix, options.shard).size();
  if (options.json) {
    console.out << DryRunJson(experiment, options.folder, num_runs, console.agents) << '\n';
    return kSuccess;
  }
  console.out << experiment.config.name << ": " << num_runs << " runs on "
              << experiment.problems.size() << " problems, for " << options.folder.string() << '\n';
  if (const auto trained = TrainedAgents(experiment.config); !trained.empty()) {
    console.out << "trained before their runs: " << JoinNames(trained) << '\n';
  }
  return kSuccess;
}

}  // namespace opyard::experiments
