// `opyard run` (also `sweep`): the whole matrix of an experiment, and its table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct RunOptions {
  std::string experiment;  // a file, or the name of a shipped experiment
  std::string out;         // the results folder; "" for results/NAME
  std::size_t jobs = 1;    // runs at once
  bool resume = false;
  std::vector<std::string> overrides;  // "budget.seconds=10"
  std::string checkpoint;     // of every agent that takes one; empty: as the experiment says
  bool is_untrained = false;  // agents that a split would train begin as they are made
  std::string shard;          // "2/4": that piece of the matrix; "" for all of it
  bool json = false;
  bool quiet = false;
};

// Prints the table, and that of gaps to known optima, on `out`, progress on `err`. Returns kSuccess
// when every run has ended, with or without a feasible plan (the table counts failures), and
// kAnswerIsNo if one is shorter than a proven optimum. Returns kInterrupted when it was stopped,
// and then says how to go on.
[[nodiscard]] int RunExperiment(const RunOptions& options, const Console& console);

}  // namespace opyard::experiments
