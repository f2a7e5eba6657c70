// Head-room for learning agents: how much better the best known plans are than the expert's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/statistics/best_known.h"

namespace opyard::experiments {

// Over the problems with the same tasks, or over all; those without an expert's score count in
// `num_problems` only, and so do those where a score is 0.
struct HeadRoom {
  std::string tasks;  // "placement"; "" for all
  std::size_t num_problems = 0;
  std::size_t num_ratios = 0;
  std::optional<double> geomean;  // of expert / best known
};

// expert / best known, by their scores.
[[nodiscard]] std::optional<double> RatioOf(const BestKnownPlan& plan);

// One for each list of tasks, in the order in which plans name them first, and last one over all.
[[nodiscard]] std::vector<HeadRoom> HeadRoomsOf(const std::vector<BestKnownPlan>& plans);

// A line per plan, and below a line per head-room. Scores are in the units of their objectives.
[[nodiscard]] std::string BestKnownText(const std::vector<BestKnownPlan>& plans);

}  // namespace opyard::experiments
