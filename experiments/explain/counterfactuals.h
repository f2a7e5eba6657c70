// Which single decisions of a plan matter most, found by changing them one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "env/problem.h"
#include "experiments/explain/plan_change.h"
#include "sim/base/interrupt.h"
#include "sim/trace/critical_path.h"
#include "sim/trace/timeline.h"

namespace opyard::experiments {

// One decision, the best of the other choices that were tried, and what the step then takes.
struct Counterfactual {
  PlanChange change;
  SimTime makespan;
};

struct CounterfactualOptions {
  std::size_t num_threads = 1;  // changes nothing in the answer
  const InterruptFlag* interrupt = nullptr;
};

struct Counterfactuals {
  std::int64_t num_tried = 0;           // changes simulated
  std::int64_t num_incomplete = 0;      // of them, those that run out of memory or deadlock
  std::vector<Counterfactual> savings;  // at most kMostListed, most saved first
  std::vector<Counterfactual> costs;    // at most kMostListed, most lost first
  bool was_interrupted = false;

  static constexpr std::size_t kMostListed = 10;
};

// Decisions are tried in order of their weight. A group's device weighs the time of the parts of
// `path` that concern it: a kernel part its own group, a wait of a kernel both the one that waits
// and the one ahead, a transfer and its waits the groups that make and that next use the tensor,
// and those that make what is ahead. Between equals, the group that sends and receives more bytes
// comes first, then the earlier one. At most eight devices are tried, those that hold a neighbour
// first. The other decisions count as far as the plan has them: the priority of an op in a queue
// wait, or ahead in one, weighs the time of those waits, and so does that of a copy in channel
// waits; both are tried as the first and as the last of all. Whether a group's ops may be fused
// weighs the time of the parts that its kernels run, wait or are ahead in: those that are fused
// with others are tried without, those that decline are tried with the greatest fusion priority. In
// all about 8 million op runs are spent: 8e6 / ops changes, at least 64 and at most 1024, on all
// cores. A decision counts by the best of its changes: what it would save, or what any other choice
// would cost at least. Changes that need a route which the machine lacks are not tried. REQUIRES:
// the step is of `problem`, which decides per op, and completed; `path` is its path.
[[nodiscard]] Counterfactuals FindCounterfactuals(std::shared_ptr<const env::Problem> problem,
                                                  const sim::SimulatedStep& step,
                                                  const sim::Timeline& timeline,
                                                  std::span<const sim::CriticalPart> path,
                                                  const CounterfactualOptions& options);

}  // namespace opyard::experiments
