// Runs the whole matrix of an experiment: graphs × hardware × agents × seeds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "agents/registry.h"
#include "env/problem.h"
#include "experiments/runner/config/config.h"
#include "experiments/runner/console.h"
#include "experiments/runner/runs/progress.h"
#include "experiments/runner/store/result_store.h"
#include "experiments/runner/store/run_record.h"
#include "graphs/importers/common/import_summary.h"

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

// Loads every graph and machine and makes a problem of each pair, graphs outermost. Throws
// InputError with everything that cannot be loaded or simulated, where it stands in the experiment.
[[nodiscard]] std::vector<PreparedProblem> PrepareProblems(const ExperimentConfig& config);

// Adds a problem for every graph and machine that cannot be loaded, where it stands.
void CheckReferences(const ExperimentConfig& config, ProblemList& problems);

struct MatrixOptions {
  std::filesystem::path folder;  // of the results
  std::size_t num_jobs = 1;      // runs at once; the cores are shared among them
  bool resume = false;
  ProgressStyle progress = ProgressStyle::kSilent;
};

struct MatrixAnswer {
  std::vector<RunRecord> runs;     // of the matrix, in its order; fewer only after an interrupt
  std::size_t num_runs = 0;        // of the whole matrix
  std::size_t num_other_runs = 0;  // in the store, but of no cell of the matrix
  bool was_interrupted = false;
};

// Runs what the results folder does not hold yet, each run as soon as a job is free, and stores
// each as it ends. Every agent runs with every seed, deterministic ones too. A raised interrupt
// ends the runs under way, which are not stored. Long. Throws InputError if the folder cannot be
// used, or holds runs that were made under other conditions (resume_check.h). REQUIRES: nobody else
// writes there (folder_lock.h).
[[nodiscard]] MatrixAnswer RunMatrix(const ExperimentConfig& config,
                                     const std::vector<PreparedProblem>& problems,
                                     const agents::AgentRegistry& registry,
                                     const MatrixOptions& options,
                                     const Console& console);

}  // namespace opyard::experiments
