// The trainings that `opyard run` makes for the agents of an experiment with a split.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "agents/registry.h"
#include "experiments/config/config.h"
#include "experiments/matrix/run_listener.h"
#include "experiments/matrix/trained_agent.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct AgentTrainingOptions {
  std::filesystem::path folder;  // of the results; the training is in training/LABEL below it
  std::size_t num_threads = 1;   // that evaluate plans
  const InterruptFlag* interrupt = nullptr;
};

// Trains `agent` as `opyard train` does, with the first seed of the experiment, or goes on where
// its training was stopped; a finished one is taken as it is. Reports each update to `listener`.
// Long. Throws InputError as RunTraining (training.h) does.
[[nodiscard]] TrainedAgent TrainForRuns(const ExperimentConfig& config,
                                        const AgentConfig& agent,
                                        const AgentTrainingOptions& options,
                                        const agents::AgentRegistry& registry,
                                        RunListener& listener);

// SHA-256 of a file of weights without its lines that begin with "record ", which say who made them
// and how long that took: equal weights, equal digest. Throws InputError if it cannot be read.
[[nodiscard]] std::string WeightsDigest(const std::filesystem::path& file);

}  // namespace opyard::experiments
