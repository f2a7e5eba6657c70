// The neighbourhood of simulated annealing.
#pragma once

#include <vector>

#include "agents/planning/decisions.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct MoveOptions {
  std::int64_t num_levels = 20;
  std::size_t longest_run = 1;  // of groups, in topological order
};

// Draws neighbours of a state. Each open task has an equal share of the moves. Keeps a reference to
// `problem`. REQUIRES: !HasOnePlan(problem).
class Moves {
 public:
  Moves(const env::Problem& problem, MoveOptions options);

  // A state that differs from `state`. A device move draws a group with a choice, another allowed
  // device for it, and a length; those of the run of that many groups that may be there go there.
  // Run lengths are log-uniform over 1 … longest_run: as many moves of one group as of two to
  // three, or of four to seven. A level move gives one priority, or one fusion priority, to a run.
  [[nodiscard]] Decisions Neighbour(const Decisions& state, Rng& rng) const;

 private:
  [[nodiscard]] std::size_t DrawLength(Rng& rng) const;
  void MoveDevice(Decisions& state, Rng& rng) const;
  // Gives a run of groups another of `num_levels` levels.
  template <class Level>
  void MoveLevel(std::int64_t num_levels, std::vector<Level>& level_of_group, Rng& rng) const;

  const env::Problem& problem_;
  MoveOptions options_;
  std::vector<std::size_t> order_;    // groups in topological order
  std::vector<std::size_t> movable_;  // positions in order_ of groups with more than one device
  bool can_move_levels_;
  bool can_move_fusion_;
};

}  // namespace opyard::agents
