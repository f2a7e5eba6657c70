// Runs the whole matrix of an experiment: graphs × hardware × agents × seeds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "experiments/matrix/baseline_search.h"
#include "experiments/matrix/prepared_experiment.h"
#include "experiments/matrix/run_listener.h"
#include "experiments/matrix/trained_agent.h"
#include "experiments/store/run_record.h"
#include "experiments/store/shard.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct MatrixOptions {
  std::filesystem::path folder;  // of the results
  std::size_t num_jobs = 1;      // runs at once; the threads are shared among them
  std::size_t num_threads = 0;   // that evaluate plans; 0: one per core
  bool resume = false;
  const InterruptFlag* interrupt = nullptr;
  Shard shard;       // the piece of the matrix to run
  TrainAgent train;  // REQUIRED where an agent of the experiment is trained
};

// How a search that is none of the runs, such as of the baseline, is run: on all the threads.
[[nodiscard]] SearchMeans MeansOf(const MatrixOptions& options);

struct MatrixAnswer {
  std::vector<RunRecord> runs;         // of the matrix, in its order; fewer only after an interrupt
  std::size_t num_runs = 0;            // of the whole matrix, or of the piece that was asked for
  std::size_t num_other_runs = 0;      // in the store, but of no such cell
  BaselineSearches baseline_searches;  // that were made for rewards
  std::vector<StoredTraining> trainings;  // in the store
  bool was_interrupted = false;
};

// Runs what the results folder does not hold yet, each run as soon as a job is free, and stores
// each as it ends. Every agent runs with every seed, one that samples nothing with the first alone.
// Agents that are trained for the experiment are so first, one after the other, unless the store
// and the folder hold their training; an interrupt leaves what the training goes on from. What
// learns is rewarded against the baseline (references.h): its run with the first seed goes first,
// or, where the matrix has none, a search of it. The store also keeps graphs, machines and bounds
// of the problems, and the experiment as it is run. Reports each run to `listener`. A raised
// interrupt ends the runs under way, which are not stored. Long. Throws InputError if the folder
// cannot be used, or holds runs that were made under other conditions (resume_check.h). REQUIRES:
// nobody else writes there (folder_lock.h).
[[nodiscard]] MatrixAnswer RunMatrix(const PreparedExperiment& experiment,
                                     const agents::AgentRegistry& registry,
                                     const MatrixOptions& options,
                                     RunListener& listener);

// Why the matrix cannot be run in pieces, if it cannot: they would reward their agents differently.
// T_ref may have to be found by a search in each piece, and is the same in all only if that
// repeats.
[[nodiscard]] std::optional<std::string> FindPieceProblem(const ExperimentConfig& config,
                                                          const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
