// Estimate of the time that the rest of a matrix of runs takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "experiments/matrix/run_listener.h"

namespace opyard::experiments {

// From what the runs of each agent have taken so far, on average over its problems: a guess, which
// grows better as runs end. Used by one thread at a time.
class TimeLeft {
 public:
  explicit TimeLeft(const MatrixStart& start);

  // A run of `agent` ended after `seconds`.
  void Finish(const std::string& agent, double seconds);

  struct Estimate {
    double seconds = 0.0;
    bool is_whole = true;  // false: runs of agents of which none has ended come on top
  };
  // The estimate for the runs that are not finished; `running_s` is what those under way have
  // taken, all together. Nothing while no run of any agent that is left has ended.
  [[nodiscard]] std::optional<Estimate> Get(double running_s) const;

 private:
  struct Agent {
    std::size_t num_done = 0;
    double done_s = 0.0;
    std::size_t num_missing = 0;
  };
  std::size_t num_jobs_;
  std::map<std::string, Agent> agents_;
};

// "about 4 min left"; "at least 4 min left" where the estimate is not whole.
[[nodiscard]] std::string TextOf(const TimeLeft::Estimate& estimate);

}  // namespace opyard::experiments
