#include "agents/planning/local_search/order_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::Optional;

// 0 feeds 2, and 1 feeds 3.
std::shared_ptr<const sim::OpGraph> TwoChains() {
  return MakeGraph(
      {TimedOp("a", 1), TimedOp("b", 1), TimedOp("c", 1, {{0, 0}}), TimedOp("d", 1, {{1, 0}})});
}

std::vector<OpId> Order(const std::vector<int>& ops) {
  std::vector<OpId> order;
  for (const int op : ops) {
    order.emplace_back(op);
  }
  return order;
}

TEST(OrderChangesTest, AnOpTakesAlongWhatItWaitsFor) {
  const auto graph = TwoChains();
  EXPECT_THAT(WithOpBefore(*graph, Order({0, 1, 2, 3}), OpId(3), OpId(0)),
              Optional(ElementsAre(OpId(1), OpId(3), OpId(0), OpId(2))));
}

TEST(OrderChangesTest, AnOpTakesAlongWhatWaitsForIt) {
  const auto graph = TwoChains();
  EXPECT_THAT(WithOpBehind(*graph, Order({0, 1, 2, 3}), OpId(0), OpId(3)),
              Optional(ElementsAre(OpId(1), OpId(3), OpId(0), OpId(2))));
}

TEST(OrderChangesTest, NothingGoesBeforeWhatItWaitsFor) {
  const auto graph = TwoChains();
  const std::vector<OpId> order = Order({0, 1, 2, 3});
  EXPECT_EQ(WithOpBefore(*graph, order, OpId(2), OpId(0)), std::nullopt);
  EXPECT_EQ(WithOpBehind(*graph, order, OpId(0), OpId(2)), std::nullopt);
  EXPECT_EQ(WithOpBefore(*graph, order, OpId(0), OpId(2)), std::nullopt);  // it stands before it
  EXPECT_EQ(WithOpBehind(*graph, order, OpId(2), OpId(0)), std::nullopt);
}

// Every change leaves each op behind those that it waits for, and does what it says.
TEST(OrderChangesTest, OrdersStaySoundOnRandomGraphs) {
  Rng rng(3);
  int num_changes = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto graph =
        testing::MakeRandomCase(seed, testing::Values::kRound, {.least_ops = 2}).graph;
    std::vector<OpId> order(graph->topological_order().begin(), graph->topological_order().end());
    for (int i = 0; i < 20; ++i) {
      const OpId op(rng.Below(graph->num_ops()));
      const OpId other(rng.Below(graph->num_ops()));
      const bool forward = rng.Below(2) == 0;
      const auto changed =
          forward ? WithOpBefore(*graph, order, op, other) : WithOpBehind(*graph, order, other, op);
      if (!changed.has_value()) {
        continue;
      }
      ++num_changes;
      order = *changed;
      std::vector<std::size_t> place(order.size());
      for (std::size_t p = 0; p < order.size(); ++p) {
        place[order[p].index()] = p;
      }
      EXPECT_LT(place[op.index()], place[other.index()]);
      for (const OpId each : order) {
        for (const TensorId input : graph->inputs(each)) {
          EXPECT_LT(place[graph->tensor(input).producer.index()], place[each.index()]);
        }
        for (const OpId before : graph->control_inputs(each)) {
          EXPECT_LT(place[before.index()], place[each.index()]);
        }
      }
    }
  }
  EXPECT_GT(num_changes, 500);
}

}  // namespace
}  // namespace opyard::agents
