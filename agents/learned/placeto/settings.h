// The settings of Placeto, with their defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

#include "agents/learned/common/aggregation.h"
#include "agents/learned/common/declaration.h"
#include "agents/learned/common/entropy_schedule.h"
#include "agents/planning/grouping/grouping.h"

namespace opyard::agents::placeto {

inline constexpr double kMostMoves = 1e6;

// The layers of the network and what a node says of itself (policy.h, episode.h).
enum class Layers : std::uint8_t { kCompact, kPublished };

// The sizes of the network. A faithful one is made for one number of devices; any other takes all.
struct Sizes {
  Layers layers = Layers::kCompact;
  bool faithful = true;
  std::int64_t num_devices = 0;  // of a faithful network
  std::int64_t width = 16;       // of what a node says; 0: that of its features
  std::int64_t rounds = 8;       // of message passing, in each direction
  Aggregation aggregation = Aggregation::kMean;
  // The mean number of nodes that a pass moves, of those that it visits, where all devices are
  // alike to the network, as they nearly are to a fresh one; 0: as many as uniform samples would.
  double moves = 3.0;
};

// With kBest an episode begins at the best placement of the search so far that completes. Before
// the first episode those of InitialPlans(kSingleDevice) (planning/all_initial_plans.h) are
// evaluated as far as the nodes can have them. If nothing completes, an episode begins like
// kRandom; those of a training, which keeps no best placement, begin like kSingleDevice. With
// kHeuristics and kSimple it is the same with InitialPlans of these. With kOneRandom it begins at a
// random placement, the same for all episodes of a search, but one for each of the episodes of an
// update.
enum class EpisodeStart : std::uint8_t {
  kRandom,
  kOneRandom,
  kSingleDevice,
  kBest,
  kHeuristics,
  kSimple
};

[[nodiscard]] inline bool KeepsBest(EpisodeStart start) {
  return start == EpisodeStart::kBest || start == EpisodeStart::kHeuristics ||
         start == EpisodeStart::kSimple;
}
enum class VisitOrder : std::uint8_t { kTopological, kRandom };

// The options of an episode.
struct EpisodeOptions {
  EpisodeStart start = EpisodeStart::kBest;
  VisitOrder order = VisitOrder::kTopological;
  std::int64_t passes = 1;  // visits of each node
  // Seconds added to the run time for each 1e9 bytes of the greatest peak above `free_gb`. If it is
  // not 0, a run time is kMostSeconds at most.
  double penalty_s_per_gb = 0.0;
  double free_gb = 8.0;
};

inline constexpr double kMostSeconds = 10.0;

// The options of the training.
struct TrainingOptions {
  GroupingOptions groups{.rule = GroupingRule::kAsNeeded, .max_ops = 64, .max_groups = 24};
  Sizes sizes;
  EpisodeOptions episode;
  bool learns = true;                 // if not, episodes leave the network as it is
  double learning_rate = 1e-2;        // at the start
  double final_learning_rate = 1e-3;  // reached linearly at the end of the budget
  EntropySchedule entropy{.weight = 0.1, .share = 0.9};
  double discount = 0.8;
  std::int64_t episodes = 1;            // of an update
  bool adds_steps = false;              // gradients of steps are added up, not averaged
  std::int64_t baseline_episodes = 10;  // for each of the episodes of an update
  double max_grad_norm = 1.25;          // greatest norm of the gradient
  // A fresh policy after so many episodes that end with a placement that an episode ended with
  // shortly before (common/collapse_watch.h); 0: never.
  std::int64_t restart_updates = 10;
};

// The settings of the agent.
struct Settings {
  TrainingOptions training;
  TrainingSession session;
};

}  // namespace opyard::agents::placeto
