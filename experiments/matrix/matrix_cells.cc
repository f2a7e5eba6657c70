#include "experiments/matrix/matrix_cells.h"

#include <algorithm>
#include <map>
#include <utility>

namespace opyard::experiments {
namespace {

std::vector<std::int64_t> SeedsOf(const AgentConfig& agent,
                                  const ExperimentConfig& config,
                                  const agents::AgentRegistry& registry,
                                  const StoredRuns& stored) {
  if (!RunsOnce(agent, registry)) {
    return config.seeds;
  }
  std::vector<std::int64_t> seeds = {config.seeds.front()};
  for (const std::int64_t seed : config.seeds) {
    const bool is_stored = std::ranges::any_of(stored, [&](const auto& run) {
      return run.first.agent == agent.label && run.first.seed == seed;
    });
    if (is_stored && seed != seeds.front()) {
      seeds.push_back(seed);
    }
  }
  return seeds;
}

}  // namespace

bool RunsOnce(const AgentConfig& agent, const agents::AgentRegistry& registry) {
  return registry.Get(agent.name).info.is_deterministic;
}

ExpectedMatrix MatrixOf(const PreparedExperiment& experiment,
                        const agents::AgentRegistry& registry,
                        const StoredRuns& stored) {
  ExpectedMatrix matrix;
  for (const PreparedProblem& problem : experiment.problems) {
    matrix.pairs.emplace_back(problem.graph, problem.hardware);
  }
  for (const AgentConfig& agent : experiment.config.agents) {
    matrix.agents.push_back(
        {.label = agent.label, .seeds = SeedsOf(agent, experiment.config, registry, stored)});
  }
  return matrix;
}

std::vector<Cell> CellsOf(const PreparedExperiment& experiment,
                          const ExpectedMatrix& matrix,
                          const Shard& shard) {
  const ExperimentConfig& config = experiment.config;
  std::map<std::pair<std::string, std::string>, const PreparedProblem*> problems;
  for (const PreparedProblem& problem : experiment.problems) {
    problems[{problem.graph, problem.hardware}] = &problem;
  }
  std::map<std::string, std::size_t> agents;
  for (std::size_t i = 0; i < config.agents.size(); ++i) {
    agents[config.agents[i].label] = i;
  }
  std::vector<Cell> cells;
  for (CellKey& key : PieceOf(CellsOf(matrix), shard)) {
    const std::size_t agent = agents.at(key.agent);
    const PreparedProblem* problem = problems.at({key.graph, key.hardware});
    cells.push_back({.key = std::move(key),
                     .problem = problem,
                     .agent = &config.agents[agent],
                     .agent_place = &config.agent_places[agent]});
  }
  return cells;
}

}  // namespace opyard::experiments
