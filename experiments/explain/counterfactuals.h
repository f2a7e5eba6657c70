// Which single decisions of a plan matter most, found by changing them one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "env/problem.h"
#include "experiments/explain/plan_change.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"
#include "sim/base/interrupt.h"

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

// Decisions are tried in order of their weight, the time of the parts of `path` that concern them.
// A kernel part concerns the device of its own group; a wait of a kernel concerns those of the
// waiting group and of the one ahead. A transfer and its waits concern the devices of the groups
// that make and next use the tensor, and of those that make what is ahead. Of equal weights, the
// group that sends and receives more bytes comes first, then the earlier one. At most eight devices
// are tried for a group, those that hold a neighbour first. The other decisions count only if the
// plan makes them. The priority of an op weighs the time of the queue waits in which it waits or is
// ahead; that of a copy weighs channel waits likewise. Both are tried as the first and as the last
// of all. The fusion of a group weighs the time of the parts in which its kernels run, wait or are
// ahead. Ops that are fused with others are tried without fusion; ops that decline are tried with
// the greatest fusion priority. In all, about 8 million op runs are spent, on `options.num_threads`
// threads: 8e6 / ops changes, at least 64 and at most 1024. A decision counts by the best of its
// changes: what it would save, or what any other choice would cost at least. Changes that need a
// route which the machine lacks are not tried. REQUIRES: the step is of `problem`, which decides
// per op, and completed; `path` is its path.
[[nodiscard]] Counterfactuals FindCounterfactuals(std::shared_ptr<const env::Problem> problem,
                                                  const sim::SimulatedStep& step,
                                                  const sim::Timeline& timeline,
                                                  std::span<const sim::CriticalPart> path,
                                                  const CounterfactualOptions& options);

}  // namespace opyard::experiments
