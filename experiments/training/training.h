// One training of one agent over the problems of an experiment's split.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "agents/base/training_point.h"
#include "agents/registry.h"
#include "experiments/config/config.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

// The files of a training in its folder.
inline constexpr const char* kWeightsFile = "weights.opyard";  // what `checkpoint` takes
inline constexpr const char* kStateFile = "training.opyard";   // what a training goes on from
inline constexpr const char* kCurveFile = "curve.csv";         // one row per update

// The progress of a training.
struct TrainingSoFar {
  std::int64_t num_updates = 0;
  std::int64_t planned_updates = 0;
  std::int64_t evaluations = 0;
  double seconds = 0.0;      // of wall time, those before a stop included
  double cpu_seconds = 0.0;  // of all threads that worked for it
};

struct TrainingRequest {
  AgentConfig agent;
  std::int64_t seed = 0;
  std::filesystem::path folder;  // of the files
  bool resume = false;
  std::size_t num_threads = 1;  // that evaluate plans
  const InterruptFlag* interrupt = nullptr;
  // After each update.
  std::function<void(const TrainingSoFar& so_far, const agents::TrainingPoint& point)> on_update;
};

struct TrainingAnswer {
  TrainingSoFar so_far;
  bool was_interrupted = false;  // its state is kept, and so are its weights until then
};

// Trains until the planned updates are made, or the interrupt. Saves the state as often as the
// experiment says, each file as a whole: whatever kills the process, the training goes on from the
// last saved state to the very weights that it would have reached. Update u samples problems and
// plans from stream u of the seed. Long. Throws InputError if the agent cannot be trained, a graph
// or machine cannot be had, the folder is another process's, holds a training (without `resume`),
// or holds one that was begun under other conditions, naming each.
[[nodiscard]] TrainingAnswer RunTraining(const ExperimentConfig& config,
                                         const TrainingRequest& request,
                                         const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
