// The ops of a graph as a profile runs them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// Ops that one timing measures together.
struct OpUnit {
  std::vector<OpId> ops;
  sim::Phase phase = sim::Phase::kUnknown;
};

// The units of the ops of type or group `type` that are not among `taken`, in topological order.
// The gradients of one convolution, biases included, are one, all updates of weights are one, and
// every other op is one by itself. Ops of one of the types `stand_ins` count as of `type`, too.
[[nodiscard]] std::vector<OpUnit> UnitsOf(const sim::OpGraph& graph,
                                          const std::string& type,
                                          const std::set<std::string>& stand_ins,
                                          const std::set<OpId>& taken);

// The shares of `seconds` of `unit` for its ops: by their FLOPs, evenly if they have none.
[[nodiscard]] std::vector<std::pair<OpId, double>> SharesOf(const sim::OpGraph& graph,
                                                            const OpUnit& unit,
                                                            double seconds);

}  // namespace opyard::experiments
