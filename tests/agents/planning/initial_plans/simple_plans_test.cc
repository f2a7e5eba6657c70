#include "agents/planning/initial_plans/simple_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;

constexpr DeviceId kD0{std::int32_t{0}};
constexpr DeviceId kD1{std::int32_t{1}};
constexpr DeviceId kD2{std::int32_t{2}};

// A chain of 2, 3, 5 and 10 us.
std::vector<sim::OpSpec> Chain() {
  return {TimedOp("a", 2),
          TimedOp("b", 3, {{0, 0}}),
          TimedOp("c", 5, {{1, 0}}),
          TimedOp("d", 10, {{2, 0}})};
}

TEST(SimplePlansTest, AContiguousSplitCutsWhereTheWorkIsHalved) {
  const auto problem = MakeProblem(MakeGraph(Chain()), MeshMachine(3));
  // 20 us in all; the middles 1, 3.5, 7.5 and 15 lie in halves 0, 0, 0, 1.
  EXPECT_THAT(ContiguousSplit(*problem, 2), ElementsAre(kD0, kD0, kD0, kD1));
  // Thirds end at 6.7 and 13.3.
  EXPECT_THAT(ContiguousSplit(*problem, 3), ElementsAre(kD0, kD0, kD1, kD2));
}

TEST(SimplePlansTest, AContiguousSplitLeavesHostOpsOnTheHost) {
  std::vector<sim::OpSpec> ops = Chain();
  ops[3].device_kinds = sim::DeviceKindSet::None();
  ops[3].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  EXPECT_THAT(ContiguousSplit(*problem, 2), ElementsAre(kD0, kD0, kD0, kD2));
}

// d0 and d1 are alike, d2 has less memory; on MeshWithCpu the host op keeps every step on two
// devices, whose link counts.
TEST(SimplePlansTest, OfDevicesThatAreAlikeOneIsDifferentEnough) {
  sim::HardwareProfile machine = MeshMachine(3);
  machine.devices[2].memory.count /= 2;
  EXPECT_THAT(DifferentSingleDevicePlacements(*MakeProblem(MakeGraph(Chain()), machine)),
              ElementsAre(std::vector(4, kD0), std::vector(4, kD2)));
  std::vector<sim::OpSpec> ops = Chain();
  ops[3].device_kinds = sim::DeviceKindSet::None();
  ops[3].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  EXPECT_EQ(DifferentSingleDevicePlacements(*problem), SingleDevicePlacements(*problem));
}

TEST(SimplePlansTest, LevelsAreQuantilesOfTheUpwardRank) {
  const auto problem = MakeProblem(MakeGraph(Chain()), MeshMachine(2));
  // Ranks fall along the chain: d, c, b, a lie in the quarters 0, 1, 2, 3.
  EXPECT_THAT(LevelsByUpwardRank(*problem, 4), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(LevelsByUpwardRank(*problem, 2), ElementsAre(1, 1, 0, 0));
}

TEST(SimplePlansTest, StartsHoldEachDeviceAloneAndTheSplits) {
  const auto problem = MakeProblem(MakeGraph(Chain()), MeshMachine(3));
  // Three devices, splits into 2 and 3.
  EXPECT_EQ(SimpleInitialPlans(*problem, 20).size(), 5U);
  EXPECT_THAT(SimpleInitialPlans(*problem, 20)[1].device_of_group, ElementsAre(kD1, kD1, kD1, kD1));
}

TEST(SimplePlansTest, StartsWithSchedulingComeWithAndWithoutAnOrder) {
  const auto both = MakeProblem(MakeGraph(Chain()), MeshMachine(3), testing::kBoth);
  EXPECT_EQ(SimpleInitialPlans(*both, 20).size(), 10U);
  const auto scheduling = MakeProblem(MakeGraph(Chain()), MeshMachine(3), testing::kScheduling);
  const std::vector<Decisions> starts = SimpleInitialPlans(*scheduling, 20);
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_TRUE(starts[0].device_of_group.empty());
}

TEST(SimplePlansTest, GroupsAreOrderedByWhereTheirOpsAre) {
  // A Variable and the last product share a group: it stands where the product does.
  std::vector<sim::OpSpec> ops = Chain();
  ops.insert(ops.begin(), opyard::testing::VariableOp("weights", 1000));
  for (std::size_t i = 2; i < ops.size(); ++i) {
    ops[i].inputs[0].op += 1;
  }
  ops[0].colocation = "x";
  ops[4].colocation = "x";
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  EXPECT_THAT(GroupsInTopologicalOrder(*problem), ElementsAre(1, 2, 3, 0));
}

}  // namespace
}  // namespace opyard::agents
