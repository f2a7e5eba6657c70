#include "experiments/matrix/baselines.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace opyard::experiments {
namespace {

bool HasRuns(const PreparedProblem& problem, const std::vector<RunRecord>& runs) {
  return std::ranges::any_of(runs, [&](const RunRecord& run) {
    return run.cell.graph == problem.graph && run.cell.hardware == problem.hardware;
  });
}

std::optional<Baseline> BaselineInMatrix(const std::string& name,
                                         const PreparedProblem& problem,
                                         const std::vector<RunRecord>& runs) {
  for (const bool by_label : {true, false}) {
    std::vector<RunRecord> chosen;
    std::ranges::copy_if(runs, std::back_inserter(chosen), [&](const RunRecord& run) {
      return run.cell.graph == problem.graph && run.cell.hardware == problem.hardware &&
             (by_label ? run.cell.agent : run.agent_name) == name;
    });
    if (chosen.empty()) {
      continue;
    }
    const AgentSummary summary = Summarize(chosen).front();
    Baseline baseline{.agent = name, .step_s = std::nullopt, .reason = summary.failure};
    if (summary.step_s.has_value()) {
      baseline.step_s = summary.step_s->mean;
    }
    return baseline;
  }
  return std::nullopt;
}

Baseline BaselineOutside(const std::string& name, const BaselineSearch& search) {
  Baseline baseline{
      .agent = name,
      .step_s = std::nullopt,
      .reason = search.outcome,
      .search = BaselineCost{.seconds = search.seconds, .cpu_seconds = search.cpu_seconds}};
  if (search.best.has_value()) {
    baseline.step_s = search.best->makespan.seconds();
  }
  return baseline;
}

}  // namespace

std::map<PairKey, Baseline> FindBaselines(const PreparedExperiment& experiment,
                                          const MatrixAnswer& matrix,
                                          const agents::AgentRegistry& registry,
                                          const SearchMeans& means) {
  const ExperimentConfig& config = experiment.config;
  std::map<PairKey, Baseline> baselines;
  for (const PreparedProblem& problem : experiment.problems) {
    const PairKey key = {problem.graph, problem.hardware};
    if (!HasRuns(problem, matrix.runs)) {
      continue;  // they are of another piece
    }
    if (const auto own = BaselineInMatrix(config.problem.baseline, problem, matrix.runs)) {
      baselines[key] = *own;
      continue;
    }
    const auto made = matrix.baseline_searches.find(key);
    if (made != matrix.baseline_searches.end()) {
      baselines[key] = BaselineOutside(config.problem.baseline, made->second);
      continue;
    }
    const AgentConfig* agent = FindBaselineAgent(config);  // whose runs are of another piece
    baselines[key] = BaselineOutside(
        config.problem.baseline,
        agent == nullptr ? SearchBaseline(config, problem, registry, means)
                         : SearchBaselineRun(config, *agent, problem, registry, means));
  }
  return baselines;
}

}  // namespace opyard::experiments
