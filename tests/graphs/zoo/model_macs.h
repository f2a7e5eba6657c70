// Multiply-adds of generated models, for the tests of their architectures.
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "graphs/zoo/model_size.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// Forward multiply-adds of products and convolutions.
inline double ForwardMacs(const sim::OpGraph& graph) {
  return HeavyFlops(graph, sim::Phase::kForward).count / 2.0;
}

inline double BackwardMacs(const sim::OpGraph& graph) {
  return HeavyFlops(graph, sim::Phase::kBackward).count / 2.0;
}

inline void ExpectWithinThirtyPercent(const sim::OpGraph& graph, double published) {
  const auto found = static_cast<double>(graph.num_ops());
  EXPECT_GE(found, 0.7 * published);
  EXPECT_LE(found, 1.3 * published);
}

}  // namespace opyard::graphs
