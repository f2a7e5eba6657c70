#include "graphs/random/enas.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

std::ptrdiff_t CountOfType(const sim::OpGraph& graph, const std::string& type) {
  return std::ranges::count(graph.ops(), type, &sim::Op::type);
}

bool IsAssignment(const sim::Op& op) {
  return op.type.starts_with("Assign") || op.type.starts_with("Apply");
}

// Ops from which neither the loss nor an update can be reached.
std::vector<std::string> UselessOps(const sim::OpGraph& graph) {
  std::vector<bool> is_useful(graph.num_ops());
  std::vector<std::string> useless;
  const auto order = graph.topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    bool has_use = IsAssignment(graph.op(*op));
    for (std::size_t i = 0; i < graph.num_outputs(*op); ++i) {
      const TensorId output = graph.output(*op, i);
      has_use = has_use || graph.tensor(output).keep;
      for (const OpId reader : graph.consumers(output)) {
        has_use = has_use || is_useful[reader.index()];
      }
    }
    for (const OpId waiter : graph.control_consumers(*op)) {
      has_use = has_use || is_useful[waiter.index()];
    }
    is_useful[op->index()] = has_use;
    if (!has_use) {
      useless.push_back(graph.op(*op).name);
    }
  }
  return useless;
}

TEST(EnasGraphTest, EveryOpLeadsToTheLossOrToAnUpdate) {
  for (const char* space : {"cifar10", "ptb"}) {
    for (int seed = 0; seed < 20; ++seed) {
      const auto graph =
          LoadGraph("random:enas?space=" + std::string(space) + "&seed=" + std::to_string(seed));
      EXPECT_EQ(UselessOps(*graph), std::vector<std::string>{}) << space << " " << seed;
    }
  }
}

TEST(EnasGraphTest, WordCellsHaveOneProductPerNodeAndStep) {
  const auto graph = LoadGraph("random:enas?space=ptb&nodes=5&seq=3");
  // Forward: 5 nodes and the projection in 3 steps = 18. Backward, two gradients of each product,
  // but for node 0 of step 0 as well: the constant state and the embedding share one input.
  EXPECT_EQ(CountOfType(*graph, "MatMul"), 18 + 36);
}

TEST(EnasGraphTest, ImageCellsAreAlikeWithinAGraph) {
  // Without reductions being sampled alike: 6 normal cells against 3 differ by 3 equal cells,
  // twice.
  const auto ops = [](int layers) {
    return static_cast<std::ptrdiff_t>(
        LoadGraph("random:enas?space=cifar10&seed=4&layers=" + std::to_string(layers))->num_ops());
  };
  EXPECT_EQ(ops(12) - ops(9), ops(15) - ops(12));
}

TEST(EnasGraphTest, RefusesOptionsOfTheOtherSpace) {
  EXPECT_THROW(static_cast<void>(LoadGraph("random:enas?space=ptb&filters=8")), InputError);
  EXPECT_THROW(static_cast<void>(LoadGraph("random:enas?space=cifar10&layers=4")), InputError);
}

}  // namespace
}  // namespace opyard::graphs
