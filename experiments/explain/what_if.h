// Simulations of a plan that differ from its own in one thing each, of the machine or of the graph.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "env/problem.h"
#include "sim/analysis/timeline.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

// One change and what the plan then takes, simulated.
struct WhatIf {
  std::string change;  // "link nv01 twice as fast", "no memory limit", "free transfers"
  sim::SimResult result;
};

// First, each of the most loaded links with twice its bandwidth: at most `most_links`, most loaded
// first, by sim::LinkLoads; default routes are found anew. Next, all links so where there are
// several: one link alone changes nothing where a route crosses two. Then follow no memory limit,
// if there is one, and free transfers (and control edges), which take neither time nor channel, if
// any took place. No dispatch time, no gaps and no releases come last, if there are any. `step` is
// a step of `problem`. Runs on `num_threads` threads, which change nothing.
[[nodiscard]] std::vector<WhatIf> AskWhatIf(const env::Problem& problem,
                                            const sim::SimulatedStep& step,
                                            const sim::Timeline& timeline,
                                            std::size_t most_links,
                                            std::size_t num_threads);

}  // namespace opyard::experiments
