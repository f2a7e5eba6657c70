// The settings of DOPPLER, with their defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

#include "agents/learned/common/declaration.h"
#include "agents/learned/common/entropy_schedule.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/grouping/grouping.h"

namespace opyard::agents::doppler {

// The sizes of both networks, which serve any graph and any number of devices.
struct Sizes {
  bool faithful = false;     // schedule.h says what the policies and the teacher then see
  std::int64_t hidden = 32;  // of an embedding
  std::int64_t head = 32;    // of the layer before the logit
  std::int64_t rounds = 3;   // of message passing
};

// Which stages change the networks: imitation of the teacher, learning on the simulator.
enum class Stages : std::uint8_t { kBoth, kImitation, kSimulation, kNone };

enum class Exploration : std::uint8_t {
  kSample,         // from the policy's probabilities
  kEpsilonGreedy,  // uniform with probability epsilon, else the likeliest
};

enum class Advantage : std::uint8_t {
  kRank,         // of the rewards of an update (common/reinforce.h, RankAdvantages)
  kAverageCost,  // the mean cost of all episodes so far, this one included, less its cost
};

// Who makes the decisions of SELECT, or of PLACE: the policy, or the teacher in its place, which
// samples among the choices that it holds equally good.
enum class Chooser : std::uint8_t { kPolicy, kTeacher };

// Whom stage 1 imitates: the list schedule of schedule.h, or the better one of it and of the best
// plan that was evaluated before, as far as nodes can have its placement.
enum class Teacher : std::uint8_t { kListSchedule, kBest };

// Stage 1.
struct ImitationOptions {
  Teacher teacher = Teacher::kBest;
  std::int64_t num_updates = 40;
  double learning_rate = 3e-3;
  double epsilon = 1.0;  // at the start; falls to 0 linearly
  double entropy_weight = 0.001;
};

// The options of the training.
struct TrainingOptions {
  GroupingOptions groups{.rule = GroupingRule::kAsNeeded, .max_ops = 64, .max_groups = 128};
  Sizes sizes;
  Stages stages = Stages::kBoth;
  Chooser select = Chooser::kPolicy;
  Chooser place = Chooser::kPolicy;
  Exploration exploration = Exploration::kSample;
  ImitationOptions imitation;
  std::int64_t batch_size = 4;  // episodes per update
  double epsilon = 0.2;         // at the start; falls to 0 linearly at the end of the budget
  double learning_rate = 3e-3;
  double final_learning_rate = 3e-4;  // reached linearly at the end of the budget
  EntropySchedule entropy{.weight = 0.02, .share = 0.9};
  Advantage advantage = Advantage::kRank;
  double discount = 1.0;       // of the reward, for each step before the last
  std::int64_t elites = 2;     // best episodes so far that each update imitates
  double max_grad_norm = 1.0;  // greatest norm of the gradient
  // Fresh networks, which imitate no teacher, after so many updates that sample nothing but
  // placements sampled shortly before (common/collapse_watch.h); 0: never.
  std::int64_t restart_updates = 5;
};

// The settings of the agent.
struct Settings {
  TrainingOptions training;
  TrainingSession session;
  Start start = Start::kSingleDevice;
};

}  // namespace opyard::agents::doppler
