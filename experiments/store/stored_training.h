// One training of an agent for the runs of an experiment, as the result store keeps it.
#pragma once

#include <cstdint>
#include <string>

namespace opyard::experiments {

struct StoredTraining {
  std::int64_t id = 0;     // in its store
  std::string agent;       // its label; one training for each
  std::string agent_name;  // in the registry
  std::string params;      // JSON object of the agent's parameters
  std::string settings;  // JSON object: what it was trained on, for how many updates, by which seed
  std::int64_t num_updates = 0;
  std::int64_t evaluations = 0;
  double seconds = 0.0;        // of wall time, those before a stop included
  double cpu_seconds = 0.0;    // of all threads that worked for it
  std::string weights;         // the file, from the results folder
  std::string weights_sha256;  // of what the weights are (agent_training.h), not of who made them
  std::string version;         // of opyard
  std::string reproduce;       // the command that repeats it
  friend bool operator==(const StoredTraining&, const StoredTraining&) = default;
};

}  // namespace opyard::experiments
