// The same plan on a machine that differs in one thing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "env/problem.h"
#include "sim/trace/sim_result.h"
#include "sim/trace/timeline.h"

namespace opyard::experiments {

// One change of the machine and what the plan then takes, simulated.
struct WhatIf {
  std::string change;  // "link nv01 twice as fast", "no memory limit", "free transfers"
  sim::SimResult result;
};

// In order: each of the links that carry most with twice its bandwidth (at most `most_links`, most
// loaded first, by sim::LinkLoads; default routes are found anew), all links so where there are
// several (one link alone changes nothing where a route crosses two), no memory limit where there
// is one, transfers (and control edges) that take neither time nor channel where any took place, no
// dispatch time and no gaps where there are any. `step` is a step of `problem`. On `num_threads`
// threads, which change nothing.
[[nodiscard]] std::vector<WhatIf> AskWhatIf(const env::Problem& problem,
                                            const sim::SimulatedStep& step,
                                            const sim::Timeline& timeline,
                                            std::size_t most_links,
                                            std::size_t num_threads);

}  // namespace opyard::experiments
