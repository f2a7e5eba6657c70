#include "experiments/matrix/baseline_search.h"

#include <algorithm>

#include "agents/base/search_run.h"

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

BaselineSearch Search(const agents::SearchRequest& request, const agents::AgentRegistry& registry) {
  const agents::SearchResult answer = agents::RunSearch(request, registry);
  BaselineSearch search{.best = answer.reference(),
                        .outcome = "no_plan",
                        .seconds = answer.seconds,
                        .cpu_seconds = answer.cpu_seconds};
  if (answer.best.has_value()) {
    search.outcome = sim::NameOf(answer.best->evaluation.result.outcome);
  }
  return search;
}

}  // namespace

BaselineSearch SearchBaseline(const ExperimentConfig& config,
                              const PreparedProblem& problem,
                              const agents::AgentRegistry& registry,
                              const SearchMeans& means) {
  return Search({.problem = problem.problem,
                 .agent = config.problem.baseline,
                 .params = {},
                 .seed = 0,
                 .budget = config.budget,
                 .num_threads = means.num_threads,
                 .interrupt = means.interrupt,
                 .on_progress = {}},
                registry);
}

BaselineSearch SearchBaselineRun(const ExperimentConfig& config,
                                 const AgentConfig& agent,
                                 const PreparedProblem& problem,
                                 const agents::AgentRegistry& registry,
                                 const SearchMeans& means) {
  return Search({.problem = problem.problem,
                 .agent = agent.name,
                 .params = agent.params,
                 .seed = config.seeds.front(),
                 .budget = BudgetOf(config, agent),
                 .num_threads = means.num_threads,
                 .interrupt = means.interrupt,
                 .on_progress = {}},
                registry);
}

}  // namespace opyard::experiments
