#include "agents/planning/local_search/recombination.h"

#include <string>

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

// A chain of six ops of 2, 3, 4, … us.
std::shared_ptr<const env::Problem> ChainOfSix() {
  std::vector<sim::OpSpec> ops;
  for (std::int32_t i = 0; i < 6; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs = {{i - 1, 0}};
    }
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i, inputs));
  }
  return testing::MakeProblem(MakeGraph(ops), MeshMachine(3));
}

env::GroupPlacement On(const std::vector<std::int32_t>& devices) {
  env::GroupPlacement placement;
  for (const std::int32_t device : devices) {
    placement.emplace_back(device);
  }
  return placement;
}

class RecombinationTest : public ::testing::Test {
 protected:
  std::shared_ptr<const env::Problem> problem_ = ChainOfSix();
  GroupGraph graph_ = BuildGroupGraph(*problem_);
  Rng rng_{1};
};

// d2 is as d0 in the reference for 2 + 3 us, d0 as d1 for 4 + 5 us and d1 as d2 for 7 us.
TEST_F(RecombinationTest, AlignedPlacementsKeepWorkUnderTheNamesOfTheReference) {
  EXPECT_EQ(AlignedTo(*problem_, graph_, On({0, 0, 1, 1, 1, 2}), On({2, 2, 0, 0, 1, 1})),
            On({0, 0, 1, 1, 2, 2}));
}

TEST_F(RecombinationTest, DevicesOfOtherKindsKeepTheirNames) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2), TimedOp("host", 3), TimedOp("b", 5)};
  ops[1].device_kinds = sim::DeviceKindSet::None();
  ops[1].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = testing::MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  EXPECT_EQ(AlignedTo(*problem, BuildGroupGraph(*problem), On({0, 2, 1}), On({1, 2, 0})),
            On({0, 2, 1}));
}

// 0 and 1 part in the second placement, 1 and 2 in the first; 5 is with 0 in both, but no
// neighbour.
TEST_F(RecombinationTest, NeighboursOnOneDeviceInAllPlacementsAreAUnit) {
  EXPECT_THAT(AgreedUnits(graph_, std::vector{On({0, 0, 1, 1, 1, 0}), On({2, 1, 1, 1, 1, 2})}),
              ElementsAre(0, 1, 2, 2, 2, 3));
}

TEST_F(RecombinationTest, APartOfOnePairIsTakenOverWhole) {
  env::GroupPlacement placement = On({0, 0, 0, 0, 0, 0});
  EXPECT_TRUE(TakeOver(graph_, On({1, 1, 0, 2, 2, 1}), 1, Extent::kOnePair, placement, rng_));
  EXPECT_EQ(placement, On({1, 1, 0, 0, 0, 0}));
  EXPECT_TRUE(TakeOver(graph_, On({1, 1, 0, 2, 2, 1}), 3, Extent::kOnePair, placement, rng_));
  EXPECT_EQ(placement, On({1, 1, 0, 2, 2, 0}));
}

TEST_F(RecombinationTest, APartOfAllPairsEndsWhereThePlacementsAgree) {
  env::GroupPlacement placement = On({0, 0, 0, 0, 0, 0});
  EXPECT_TRUE(TakeOver(graph_, On({1, 1, 0, 2, 2, 1}), 3, Extent::kAllPairs, placement, rng_));
  EXPECT_EQ(placement, On({0, 0, 0, 2, 2, 1}));
}

TEST_F(RecombinationTest, FromAGroupThatIsNotDifferentAnotherIsTaken) {
  env::GroupPlacement placement = On({0, 0, 0, 0, 0, 0});
  EXPECT_TRUE(TakeOver(graph_, On({0, 0, 0, 0, 2, 0}), 1, Extent::kOnePair, placement, rng_));
  EXPECT_EQ(placement, On({0, 0, 0, 0, 2, 0}));
  EXPECT_FALSE(TakeOver(graph_, placement, 1, Extent::kOnePair, placement, rng_));
}

}  // namespace
}  // namespace opyard::agents
