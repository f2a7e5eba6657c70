// The settings of ColocRL, with their defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

#include "agents/learned/common/baseline_rule.h"
#include "agents/learned/common/declaration.h"
#include "agents/learned/common/entropy_schedule.h"
#include "agents/learned/common/learning_rule.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/grouping/grouping.h"

namespace opyard::agents::reinforce_lstm {

// The network's input of a group's neighbours.
enum class Adjacency : std::uint8_t {
  kAsPublished,  // kRows if faithful, else kMeans
  kMeans,  // the means of the features of those that it feeds, and of those that it reads from
  kRows,   // its rows of the adjacency matrix, one-hot
};

// A network with an output per device is made for one number of devices, one with adjacency rows
// for one number of groups; any other takes all.
struct Sizes {
  bool faithful = false;
  Adjacency adjacency = Adjacency::kAsPublished;
  bool memory_features = true;   // whether it sees what bytes groups and devices hold
  std::int64_t num_groups = 0;   // of a network with adjacency rows
  std::int64_t num_devices = 0;  // of a faithful network
  std::int64_t hidden = 64;      // of both LSTMs
  std::int64_t attention = 32;   // of the additive attention and the embeddings of devices
  std::int64_t embedding = 64;   // of types and of what is next to a group
  double temperature = 10.0;
  double tanh_constant = 5.0;

  [[nodiscard]] bool has_adjacency_rows() const {
    return adjacency == Adjacency::kRows || (adjacency == Adjacency::kAsPublished && faithful);
  }
};

// The options of the training.
struct TrainingOptions {
  GroupingOptions groups{.max_groups = 24};
  Sizes sizes;
  std::int64_t batch_size = 4;   // plans per update
  std::int64_t num_workers = 1;  // that take turns at updates (common/lagging_copies.h)
  double learning_rate = 0.003;
  EntropySchedule entropy{.weight = 0.3, .share = 0.9};
  // A fresh policy after so many updates without a plan that the policy has not sampled shortly
  // before (common/collapse_watch.h); 0: never.
  std::int64_t restart_updates = 5;
  LearningRule rule;
  bool normalise_advantages = false;  // to a root mean square of 1 in each update
  double max_grad_norm = 1.0;         // greatest norm of the gradient
  BaselineRule baseline;
  bool learns = true;  // if not, updates leave the network as it is
};

// The settings of the agent.
struct Settings {
  TrainingOptions training;
  TrainingSession session;
  Start start = Start::kSingleDevice;
};

}  // namespace opyard::agents::reinforce_lstm
