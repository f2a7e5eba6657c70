// A search for the parameters of an agent over the problems of an experiment's split.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "agents/registry.h"
#include "experiments/config/config.h"
#include "experiments/tuning/trials.h"
#include "sim/base/interrupt.h"
#include "sim/base/options.h"

namespace opyard::experiments {

// The progress of a tuning.
struct TuningSoFar {
  std::size_t round = 0;  // from 1
  std::size_t num_rounds = 0;
  std::size_t num_runs = 0;      // made, those before a stop included
  std::size_t planned_runs = 0;  // in all
  std::int64_t evaluations = 0;
  double seconds = 0.0;  // of wall time, those before a stop included
};

// The end of one run.
struct TrialScore {
  TrialRun run;
  std::optional<double> score;  // of its best plan; nothing where none completed
  Options params;               // of the trial
};

// The end of one round.
struct TuningStandings {
  std::size_t num_problems = 0;
  std::vector<std::pair<std::size_t, double>> improvements;  // of each trial in it, best first
};

struct TuningRequest {
  AgentConfig agent;
  std::int64_t seed = 0;
  std::filesystem::path folder;  // of the files
  bool resume = false;
  std::size_t num_jobs = 1;     // runs at once; the threads are divided among them
  std::size_t num_threads = 1;  // that evaluate plans
  const InterruptFlag* interrupt = nullptr;
  std::function<void(const TuningSoFar& so_far)> on_run;       // after each run, one at a time
  std::function<void(const TrialScore& score)> on_score;       // after each run, one at a time
  std::function<void(const TuningStandings& round)> on_round;  // after each round, those before a
                                                               // stop included
};

struct TuningAnswer {
  TuningSoFar so_far;
  Options params;                // the best of the last round
  double improvement = 0.0;      // over the parameters of the experiment, MeanImprovement there
  std::size_t num_problems = 0;  // of the last round
  bool was_interrupted = false;  // its state is kept; there are no params yet
};

// Samples sets of parameters and lets the agent search with each (trials.h). The runs of a round
// are those of its trials, and of the experiment's own parameters. They are on the first of the
// training's problems, in an order sampled from the seed. All trials search a problem with the same
// seed and budget, and with a budget of evaluations the answer is the same whatever the number of
// jobs. Writes the parameters of the best trial of the last round with a record of all of them.
// Saves the state as often as the experiment says, each file as a whole: whatever kills the
// process, the tuning goes on to the very parameters that it would have come to. Long. Throws
// InputError if the experiment tunes nothing, a parameter is refused at an end of its range, or a
// graph or machine cannot be had. Also throws if the folder is another process's, holds a tuning
// (without `resume`), or holds one that was begun under other conditions, naming each.
[[nodiscard]] TuningAnswer RunTuning(const ExperimentConfig& config,
                                     const TuningRequest& request,
                                     const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
