// Which measured times belong to which op of a graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/graphs/timing.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// Timings of one name that belong to no op.
struct UnmatchedTimings {
  std::string name;
  std::int64_t num_timings = 0;
  double seconds = 0.0;  // of all
};

struct TimingMatch {
  std::map<std::int64_t, double> seconds;  // by op index: the median of its timings
  std::int64_t num_by_name = 0;            // ops
  std::int64_t num_by_order = 0;
  std::int64_t num_by_neighbours = 0;
  std::vector<UnmatchedTimings> unmatched;  // the longest first, then by name
  double total_s = 0.0;                     // of all timings
};

// First by name: a timing called like an op belongs to it.
//
// Then by order, among the other timings. Those of a type or group, as ProfiledTypes says, belong
// to its ops without a timing by name, in topological order. They have to be as many or a multiple,
// and in a trace the same multiple as for most ops. The gradients of one convolution share one
// timing, and all updates of weights those of one step, by their FLOPs.
//
// Then, in a trace, by neighbours: where a type has other numbers, each step's ops are aligned with
// the graph's, those of all types, the forward and the backward pass by themselves, and what
// corresponds belongs together.
//
// An op with several timings takes their median; timings that are not measured count in the order
// alone.
[[nodiscard]] TimingMatch Match(const sim::OpGraph& graph, const Timings& timings);

}  // namespace opyard::experiments
