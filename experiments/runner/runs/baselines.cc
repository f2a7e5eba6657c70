#include "experiments/runner/runs/baselines.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "env/parallel/thread_pool.h"
#include "experiments/runner/runs/search.h"

namespace opyard::experiments {
namespace {

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

Baseline BaselineOutside(const ExperimentConfig& config,
                         const PreparedProblem& problem,
                         const agents::AgentRegistry& registry,
                         const InterruptFlag* interrupt) {
  const SearchAnswer answer =
      RunSearch({.problem = problem.problem,
                 .agent = {.label = config.baseline, .name = config.baseline, .params = {}},
                 .seed = 0,
                 .budget = config.budget,
                 .num_threads = env::ThreadPool::DefaultNumThreads(),
                 .interrupt = interrupt,
                 .on_progress = {}},
                registry);
  Baseline baseline{
      .agent = config.baseline, .step_s = std::nullopt, .reason = "no_plan", .is_in_matrix = false};
  if (answer.best.has_value()) {
    baseline.reason = sim::NameOf(answer.best->evaluation.result.outcome);
  }
  if (answer.is_feasible()) {
    baseline.step_s = answer.best->evaluation.result.makespan.seconds();
  }
  return baseline;
}

}  // namespace

std::map<PairKey, Baseline> FindBaselines(const PreparedExperiment& experiment,
                                          const std::vector<RunRecord>& runs,
                                          const agents::AgentRegistry& registry,
                                          const InterruptFlag* interrupt) {
  const ExperimentConfig& config = experiment.config;
  std::map<PairKey, Baseline> baselines;
  for (const PreparedProblem& problem : experiment.problems) {
    const std::optional<Baseline> own = BaselineInMatrix(config.baseline, problem, runs);
    baselines[{problem.graph, problem.hardware}] =
        own.has_value() ? *own : BaselineOutside(config, problem, registry, interrupt);
  }
  return baselines;
}

}  // namespace opyard::experiments
