#include <algorithm>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "agents/classical/scotch/scotch_partition.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;
using testing::RunAgent;

// `length` equal ops.
GroupGraph ChainOf(std::int64_t length) {
  std::vector<sim::OpSpec> ops{TimedOp("op0", 2)};
  for (std::int64_t i = 1; i < length; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2, {{i - 1, 0}}));
  }
  return BuildGroupGraph(*MakeProblem(MakeGraph(ops), MeshMachine(2)));
}

std::size_t NumCuts(const std::vector<std::size_t>& part) {
  std::size_t cuts = 0;
  for (std::size_t i = 1; i < part.size(); ++i) {
    cuts += part[i] != part[i - 1] ? 1 : 0;
  }
  return cuts;
}

TEST(ScotchTest, AChainIsCutOnceInTheMiddle) {
  const std::vector<std::size_t> part = MapGroups(ChainOf(40), std::vector{1.0, 1.0}, 0.01);
  EXPECT_EQ(NumCuts(part), 1U);
  EXPECT_EQ(std::ranges::count(part, std::size_t{0}), 20);
}

TEST(ScotchTest, SharesFollowTheSpeedOfTheDevices) {
  const std::vector<std::size_t> part = MapGroups(ChainOf(40), std::vector{3.0, 1.0}, 0.01);
  EXPECT_EQ(std::ranges::count(part, std::size_t{0}), 30);
}

TEST(ScotchTest, NoMoreGroupsThanDevicesAreAPartEach) {
  EXPECT_EQ(MapGroups(ChainOf(3), std::vector(4, 1.0), 0.01), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(ScotchTest, PartsAreEqualWhateverRanBeforeAndBeside) {
  const GroupGraph graph =
      BuildGroupGraph(*testing::ConformanceProblems(testing::kPlacement).back().problem);
  const std::vector<double> speeds(3, 1.0);
  const std::vector<std::size_t> part = MapGroups(graph, speeds, 0.05);
  static_cast<void>(MapGroups(ChainOf(40), speeds, 0.01));
  EXPECT_EQ(MapGroups(graph, speeds, 0.05), part);
  std::vector<std::vector<std::size_t>> beside(4);
  std::vector<std::thread> threads;
  for (std::vector<std::size_t>& result : beside) {
    threads.emplace_back([&] { result = MapGroups(graph, speeds, 0.05); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(beside, std::vector(4, part));
}

TEST(ScotchTest, OneGroupWithNearlyAllWorkIsMappedQuietly) {
  std::vector<sim::OpSpec> ops{TimedOp("giant", 1'000'000)};
  for (std::int64_t i = 1; i < 20; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 1, {{i - 1, 0}}));
  }
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(4));
  ::testing::internal::CaptureStderr();
  const testing::Outcome outcome = RunAgent("scotch", problem, {});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(outcome.num_evaluations, 1);
}

TEST(ScotchTest, GroupsWithoutEdgesAreSharedOut) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 12; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2));
  }
  const GroupGraph graph = BuildGroupGraph(*MakeProblem(MakeGraph(ops), MeshMachine(3)));
  const std::vector<std::size_t> part = MapGroups(graph, std::vector(3, 1.0), 0.01);
  for (std::size_t device = 0; device < 3; ++device) {
    EXPECT_EQ(std::ranges::count(part, device), 4);
  }
}

}  // namespace
}  // namespace opyard::agents
