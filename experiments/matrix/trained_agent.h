// An agent that was trained for the runs of an experiment.
#pragma once

#include <filesystem>
#include <functional>

#include "experiments/config/config.h"
#include "experiments/store/stored_training.h"

namespace opyard::experiments {

struct TrainedAgent {
  std::filesystem::path weights;  // what the parameter `checkpoint` takes
  StoredTraining record;
  bool was_interrupted = false;  // then there are no weights yet
};

// Trains `agent`, or goes on where its training was stopped. Long. `agent` is of the experiment,
// and is_trained.
using TrainAgent = std::function<TrainedAgent(const AgentConfig& agent)>;

}  // namespace opyard::experiments
