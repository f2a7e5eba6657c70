#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/min_cut/balanced_cut.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

// 0 –9– 1 –1– 2 –6– 3 –4– 4 –6– 5
std::vector<sim::Net> Chain() {
  return {{.nodes = {0, 1}, .capacity = 9},
          {.nodes = {1, 2}, .capacity = 1},
          {.nodes = {2, 3}, .capacity = 6},
          {.nodes = {3, 4}, .capacity = 4},
          {.nodes = {4, 5}, .capacity = 6}};
}

TEST(BalancedCutTest, ALooseBalanceTakesTheMinimumCut) {
  const std::vector<double> weights(6, 1.0);  // 2 nodes of 6 miss the half by a third
  EXPECT_THAT(BalancedCut(weights, Chain(), {.imbalance = 0.4, .source = 0, .sink = 5}),
              ElementsAre(true, true, false, false, false, false));
}

TEST(BalancedCutTest, ALightSideGrowsUntilTheCutIsInBalance) {
  const std::vector<double> weights(6, 1.0);
  EXPECT_THAT(BalancedCut(weights, Chain(), {.imbalance = 0.1, .source = 0, .sink = 5}),
              ElementsAre(true, true, true, false, false, false));
}

TEST(BalancedCutTest, AHeavySideShrinksUntilTheCutIsInBalance) {
  const std::vector<double> weights(6, 1.0);  // from the other end the first cut leaves 4 nodes
  EXPECT_THAT(BalancedCut(weights, Chain(), {.imbalance = 0.1, .source = 5, .sink = 0}),
              ElementsAre(false, false, false, true, true, true));
}

TEST(BalancedCutTest, AnUnequalShareIsKept) {
  const std::vector<double> weights(6, 1.0);
  EXPECT_THAT(
      BalancedCut(
          weights, Chain(), {.source_share = 2.0 / 3.0, .imbalance = 0.1, .source = 0, .sink = 5}),
      ElementsAre(true, true, true, true, false, false));
}

TEST(BalancedCutTest, WhereNoCutIsInBalanceTheNearestCounts) {
  const std::vector<double> weights = {1.0, 1.0, 8.0};
  const std::vector<sim::Net> nets = {{.nodes = {0, 1}, .capacity = 2},
                                      {.nodes = {1, 2}, .capacity = 3}};
  // The source side can weigh 1, 2 or 10 of the 5 asked; 8 more would tip it over.
  EXPECT_THAT(BalancedCut(weights, nets, {.imbalance = 0.1, .source = 0, .sink = 2}),
              ElementsAre(true, true, false));
}

// Two chains of six ops that each hand on 100 kB, joined by 10 bytes.
std::shared_ptr<const sim::OpGraph> TwoChains() {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 12; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i % 6 > 0) {
      inputs.push_back({.op = i - 1});
    }
    if (i == 11) {
      inputs.push_back({.op = 5, .output = 1});
    }
    ops.push_back(TimedOp("op" + std::to_string(i), 20, inputs, {100'000, 10}));
  }
  return MakeGraph(ops);
}

TEST(MinCutTest, FindsTheTwoChainsAndNeverMovesTheirTensors) {
  const auto problem = MakeProblem(TwoChains(), MeshMachine(2));
  const auto outcome = RunAgent("min_cut", problem, {});
  // 6 ops × 20 µs on each device; a tensor of a chain alone would take 100 µs, and 10 bytes arrive
  // long before the end of the second chain. The last op reads op5, which ends after 120 µs, so it
  // begins at 120 µs + 0.01 µs and takes 20 µs.
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(140) + SimTime{10'000});
}

TEST(MinCutTest, FourDevicesGetAQuarterEach) {
  std::vector<sim::OpSpec> ops{TimedOp("op0", 5, {}, {10})};
  for (std::int64_t i = 1; i < 40; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 5, {{.op = i - 1}}, {10}));
  }
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(4));
  const auto outcome =
      RunAgent("min_cut", problem, {.options = Options({{"tries", std::int64_t{1}}})});
  std::vector<int> num_ops(4);
  for (const DeviceId device : outcome.best->plan.placement) {
    ++num_ops[device.index()];
  }
  for (const int count : num_ops) {
    EXPECT_NEAR(count, 10, 2);  // 10 % of a half, and of what that leaves for its half
  }
}

TEST(MinCutTest, MemoryIsBalancedIfNothingFitsOtherwise) {
  // d0 and d1 have 1 MB. Eight ops of equal work in a chain; the first two hold 450 kB each, the
  // others 100 kB, which are 1.5 MB: half of the work is 450 + 450 + 100 + 100 kB, too much.
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs.push_back({.op = i - 1});
    }
    ops.push_back(TimedOp("op" + std::to_string(i), 5, inputs, {10}));
    ops.back().param_bytes = Bytes{i < 2 ? 450'000 : 100'000};
  }
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  const auto outcome =
      RunAgent("min_cut", problem, {.options = Options({{"tries", std::int64_t{1}}})});
  ASSERT_TRUE(outcome.best.has_value());
  EXPECT_TRUE(outcome.best->evaluation.is_feasible());
}

}  // namespace
}  // namespace opyard::agents
