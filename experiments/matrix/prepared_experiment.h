// The graphs and machines of an experiment, loaded and put together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/problem.h"
#include "experiments/base/notice.h"
#include "experiments/config/config.h"
#include "experiments/statistics/optima.h"
#include "graphs/importers/common/import_summary.h"
#include "sim/base/error.h"

namespace opyard::experiments {

// A problem of the matrix, shared by all runs on it.
struct PreparedProblem {
  std::string graph;  // the references, as the experiment writes them
  std::string hardware;
  std::string graph_sha256;
  std::string hardware_sha256;
  std::shared_ptr<const env::Problem> problem;
  graphs::ImportSummary import_summary;  // of the graph
};

struct PreparedExperiment {
  ExperimentConfig config;
  std::optional<KnownOptima> optima;      // if the experiment names a table
  std::vector<PreparedProblem> problems;  // in the order of PairsOf
};

// Loads every graph and machine, each once, and the table of optima, and makes a problem of each
// pair. Sends `notices` what importers had to assume of a graph, and what of it is measured only in
// part on a machine. Throws InputError with everything that cannot be loaded or simulated, where it
// stands in the experiment.
[[nodiscard]] PreparedExperiment PrepareExperiment(ExperimentConfig config,
                                                   const NoticeListener& notices);

// Adds a problem for every graph and machine that cannot be loaded, where it stands, and what is
// wrong with the table of optima.
void CheckReferences(const ExperimentConfig& config, Diagnostics& diagnostics);

}  // namespace opyard::experiments
