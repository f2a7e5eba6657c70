#include "experiments/matrix/matrix_references.h"

#include <utility>

namespace opyard::experiments {
namespace {

PairKey KeyOf(const PreparedProblem& problem) {
  return {problem.graph, problem.hardware};
}

}  // namespace

MatrixReferences::MatrixReferences(const PreparedExperiment& experiment,
                                   const agents::AgentRegistry& registry,
                                   const StoredRuns& stored,
                                   const std::vector<Cell>& cells)
    : config_(experiment.config),
      registry_(registry),
      baseline_(FindBaselineAgent(experiment.config)) {
  for (const auto& [cell, record] : stored) {
    if (record.reference.has_value()) {
      stored_.emplace(PairKey(cell.graph, cell.hardware), *record.reference);
    }
  }
  for (const Cell& cell : cells) {
    if (cell.agent == baseline_ && cell.key.seed == config_.seeds.front()) {
      cells_.insert(cell.key);
    }
  }
}

bool MatrixReferences::AreFor(const AgentConfig& agent) const {
  return &agent != baseline_ && NeedsReference(agent.name, registry_);
}

std::optional<CellKey> MatrixReferences::RunFor(const PreparedProblem& problem) const {
  if (baseline_ == nullptr || stored_.contains(KeyOf(problem))) {
    return std::nullopt;
  }
  CellKey key{.graph = problem.graph,
              .hardware = problem.hardware,
              .agent = baseline_->label,
              .seed = config_.seeds.front()};
  return cells_.contains(key) ? std::optional(std::move(key)) : std::nullopt;
}

const ReferencedProblem* MatrixReferences::Find(const PreparedProblem& problem,
                                                const StoredRuns& runs,
                                                const SearchMeans& means) {
  auto found = made_.find(KeyOf(problem));
  if (found == made_.end()) {
    std::optional<ReferencedProblem> made = Make(problem, runs, means);
    if (!made.has_value()) {
      return nullptr;
    }
    found = made_.emplace(KeyOf(problem), std::move(*made)).first;
  }
  return &found->second;
}

std::optional<ReferencedProblem> MatrixReferences::Make(const PreparedProblem& problem,
                                                        const StoredRuns& runs,
                                                        const SearchMeans& means) {
  if (const auto stored = stored_.find(KeyOf(problem)); stored != stored_.end()) {
    return Referenced(*problem.problem, stored->second);
  }
  if (const std::optional<CellKey> cell = RunFor(problem)) {
    const auto run = runs.find(*cell);
    return run == runs.end() ? std::nullopt
                             : std::optional(Referenced(*problem.problem, run->second));
  }
  BaselineSearch search = baseline_ == nullptr
                              ? SearchBaseline(config_, problem, registry_, means)
                              : SearchBaselineRun(config_, *baseline_, problem, registry_, means);
  ReferencedProblem made = Referenced(*problem.problem, search);
  searches_.emplace(KeyOf(problem), std::move(search));
  return made;
}

}  // namespace opyard::experiments
