// The references of the problems of a matrix, each made once, for the runs that are given rewards.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "agents/registry.h"
#include "experiments/matrix/baseline_search.h"
#include "experiments/matrix/matrix_cells.h"
#include "experiments/matrix/prepared_experiment.h"
#include "experiments/matrix/references.h"
#include "experiments/matrix/resume_check.h"
#include "experiments/store/run_record.h"

namespace opyard::experiments {

// The references of a matrix. Where a stored run of a problem was rewarded, its reference is used,
// so that all runs on it have the same. Else it is the baseline's run with the first seed, or a
// search of the baseline where the matrix, or the piece of it that is asked for, has no run of it.
// Used by one thread.
class MatrixReferences {
 public:
  // `experiment` and `registry` outlive this; `stored` and `cells`, the runs that are asked for,
  // need not.
  MatrixReferences(const PreparedExperiment& experiment,
                   const agents::AgentRegistry& registry,
                   const StoredRuns& stored,
                   const std::vector<Cell>& cells);

  // True if the runs of `agent` are given rewards. The baseline's own are measured against rules
  // (env::FindReference).
  [[nodiscard]] bool AreFor(const AgentConfig& agent) const;

  // The run of the matrix that the reference of `problem` is taken from, if it is.
  [[nodiscard]] std::optional<CellKey> RunFor(const PreparedProblem& problem) const;

  // The reference of `problem`, which lives as long as this. Long where the baseline is searched
  // for. Null if it is to come from a run that `runs` lacks, because an interrupt ended it.
  [[nodiscard]] const ReferencedProblem* Find(const PreparedProblem& problem,
                                              const StoredRuns& runs,
                                              const SearchMeans& means);

  // The searches of the baseline so far.
  [[nodiscard]] const BaselineSearches& searches() const { return searches_; }

 private:
  [[nodiscard]] std::optional<ReferencedProblem> Make(const PreparedProblem& problem,
                                                      const StoredRuns& runs,
                                                      const SearchMeans& means);

  const ExperimentConfig& config_;
  const agents::AgentRegistry& registry_;
  const AgentConfig* baseline_;  // of the list, or null
  std::set<CellKey> cells_;      // of the baseline with the first seed
  std::map<PairKey, ReferenceRecord> stored_;
  std::map<PairKey, ReferencedProblem> made_;
  BaselineSearches searches_;
};

}  // namespace opyard::experiments
