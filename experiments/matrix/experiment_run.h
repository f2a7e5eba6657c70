// A whole experiment: its matrix, what that is compared with, and what it amounts to.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "agents/registry.h"
#include "experiments/config/config.h"
#include "experiments/matrix/run_listener.h"
#include "experiments/matrix/run_matrix.h"
#include "experiments/statistics/gaps.h"
#include "experiments/statistics/summary.h"

namespace opyard::experiments {

struct ExperimentAnswer {
  MatrixAnswer matrix;
  // Empty if the matrix was interrupted:
  std::map<PairKey, Baseline> baselines;
  std::vector<AgentSummary> agents;        // compared with them
  std::optional<OptimaComparison> optima;  // if the experiment names a table of them
};

// Takes the results folder for itself, loads the graphs and machines, runs the matrix (RunMatrix)
// and finds the baselines. Reports all that to `listener`, from the notices about graphs and
// machines on. Long. Throws InputError, and has stored nothing, if the folder is another process's
// or not empty (without `options.resume`), or a graph or machine cannot be had; and whatever
// RunMatrix throws.
[[nodiscard]] ExperimentAnswer RunWholeExperiment(const ExperimentConfig& config,
                                                  const agents::AgentRegistry& registry,
                                                  const MatrixOptions& options,
                                                  RunListener& listener);

}  // namespace opyard::experiments
