// The settings of HDP, with their defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

#include "agents/learned/common/baseline_rule.h"
#include "agents/learned/common/declaration.h"
#include "agents/learned/common/entropy_schedule.h"
#include "agents/learned/common/learning_rule.h"
#include "agents/planning/encoding/common_options.h"

namespace opyard::agents::hdp {

enum class GrouperKind : std::uint8_t {
  kLearned,
  kRandom,  // each unit in a group sampled once, which stays
};

// The units that are dealt out to groups and may not be split.
enum class UnitKind : std::uint8_t {
  kProblem,  // the groups of the problem (its decide_per and max_groups)
  kOp,       // single ops; those of one co-location label are one unit
  kStages,  // runs of the network's layers (planning/grouping/stage_groups.h), as many as there are
            // groups
};

enum class PlacerKind : std::uint8_t {
  kSequence,  // group after group, by two LSTMs
  kFlat,      // each group by a softmax of its own, whatever is in it
};

struct Sizes {
  bool faithful = false;
  GrouperKind grouper = GrouperKind::kLearned;
  PlacerKind placer = PlacerKind::kSequence;
  bool attention = true;
  std::int64_t num_groups = 0;       // 0: as many as the paper says for the problem at hand
  std::int64_t num_devices = 0;      // of the problem that the network is made for
  std::int64_t num_units = 0;        // of that problem; of a random grouper alone
  std::int64_t grouper_hidden = 64;  // between the grouper's two matrices
  double grouper_temperature = 0.25;
  std::int64_t hidden = 64;     // of the decoder; half of them in each direction of the encoder
  std::int64_t embedding = 32;  // of the attention and of the embeddings of devices
  double temperature = 10.0;
  double tanh_constant = 5.0;
};

// Multiplied by `factor` after every `num_updates` updates beyond the first `first_update`.
struct StepSize {
  double start = 0.001;  // of Adam
  double factor = 0.95;
  std::int64_t num_updates = 50;
  std::int64_t first_update = 400;
};

// The noise on logits (logit_noise.h).
struct NoiseSchedule {
  double relative_std = 0.0;
  std::int64_t num_updates = 0;  // in which there is noise, the first ones
};

// The options of the training.
struct TrainingOptions {
  UnitKind units = UnitKind::kProblem;
  Sizes sizes;
  std::int64_t batch_size = 4;  // plans per update
  StepSize step_size;
  EntropySchedule entropy{.weight = 0.3, .share = 0.9};
  // A fresh policy after so many updates without a plan that the policy has not sampled shortly
  // before (common/collapse_watch.h); 0: never.
  std::int64_t restart_updates = 5;
  LearningRule rule;
  bool normalise_advantages = false;  // to a root mean square of 1 in each update
  double max_grad_norm = 1.0;         // greatest norm of the gradient
  BaselineRule baseline;
  NoiseSchedule noise;
  // After so many updates each group stays where the last one placed it; 0: the placer always
  // samples.
  std::int64_t stop_sampling = 0;
  bool learns = true;  // if not, updates leave the network as it is
};

// The settings of the agent.
struct Settings {
  TrainingOptions training;
  TrainingSession session;
  Start start = Start::kSingleDevice;
};

}  // namespace opyard::agents::hdp
