#include "experiments/matrix/baseline_search.h"

#include <algorithm>

#include "env/parallel/thread_pool.h"
#include "experiments/matrix/search.h"

namespace opyard::experiments {

const AgentConfig* FindBaselineAgent(const ExperimentConfig& config) {
  for (const auto name : {&AgentConfig::label, &AgentConfig::name}) {
    const auto agent = std::ranges::find(config.agents, config.problem.baseline, name);
    if (agent != config.agents.end()) {
      return &*agent;
    }
  }
  return nullptr;
}

namespace {

BaselineSearch Search(const SearchRequest& request, const agents::AgentRegistry& registry) {
  const SearchAnswer answer = RunSearch(request, registry);
  BaselineSearch search{.best = std::nullopt,
                        .outcome = "no_plan",
                        .seconds = answer.seconds,
                        .cpu_seconds = answer.cpu_seconds};
  if (answer.best.has_value()) {
    search.outcome = sim::NameOf(answer.best->evaluation.result.outcome);
  }
  if (answer.is_feasible()) {
    search.best = ReferenceOf(*answer.best);
  }
  return search;
}

}  // namespace

BaselineSearch SearchBaseline(const ExperimentConfig& config,
                              const PreparedProblem& problem,
                              const agents::AgentRegistry& registry,
                              const InterruptFlag* interrupt) {
  return Search(
      {.problem = problem.problem,
       .agent = {.label = config.problem.baseline, .name = config.problem.baseline, .params = {}},
       .seed = 0,
       .budget = config.budget,
       .num_threads = env::ThreadPool::DefaultNumThreads(),
       .interrupt = interrupt,
       .on_progress = {}},
      registry);
}

BaselineSearch SearchBaselineRun(const ExperimentConfig& config,
                                 const AgentConfig& agent,
                                 const PreparedProblem& problem,
                                 const agents::AgentRegistry& registry,
                                 const InterruptFlag* interrupt) {
  return Search({.problem = problem.problem,
                 .agent = agent,
                 .seed = config.seeds.front(),
                 .budget = BudgetOf(config, agent),
                 .num_threads = env::ThreadPool::DefaultNumThreads(),
                 .interrupt = interrupt,
                 .on_progress = {}},
                registry);
}

}  // namespace opyard::experiments
