#include "agents/planning/local_search/moves.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "agents/planning/initial_plans/simple_plans.h"
#include "env/group_placement.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;

std::shared_ptr<const env::Problem> EightOps(env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i));
  }
  return MakeProblem(MakeGraph(ops), MeshMachine(3), tasks);
}

std::size_t NumDifferences(const Decisions& a, const Decisions& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.device_of_group.size(); ++i) {
    count += a.device_of_group[i] == b.device_of_group[i] ? 0 : 1;
  }
  for (std::size_t i = 0; i < a.priority_of_group.size(); ++i) {
    count += a.priority_of_group[i] == b.priority_of_group[i] ? 0 : 1;
  }
  for (std::size_t i = 0; i < a.fusion_of_group.size(); ++i) {
    count += a.fusion_of_group[i] == b.fusion_of_group[i] ? 0 : 1;
  }
  return count;
}

TEST(MovesTest, ARunOfOneChangesOneDecision) {
  const auto problem = EightOps(testing::kBoth);
  Moves moves(*problem, {.num_levels = 5, .longest_run = 1});
  const Decisions state = SimpleInitialPlans(*problem, 5).front();
  Rng rng(1);
  int num_device_moves = 0;
  for (int i = 0; i < 400; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    EXPECT_EQ(NumDifferences(state, next), 1U);
    num_device_moves += next.device_of_group != state.device_of_group ? 1 : 0;
  }
  // Half of 400; standard deviation 10; five of them.
  EXPECT_NEAR(num_device_moves, 200, 50);
}

// Group 0 surely belongs to device 1 and is not there; all others are where they belong. Half of
// the moves begin at it, and one in four of the other half. Half of these take the device that is
// sampled by affinity: with three devices 1/2 + 1/2 · 1/2 = 3/4 of them go to device 1.
TEST(MovesTest, AffinitySamplesGroupsThatAreInTheWrongPlaceToTheRightOne) {
  const auto problem =
      testing::MakeProblem(opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 1),
                                                       opyard::testing::TimedOp("b", 1),
                                                       opyard::testing::TimedOp("c", 1),
                                                       opyard::testing::TimedOp("d", 1)}),
                           opyard::testing::MeshMachine(3));
  std::vector<double> affinity(12, 0.0);
  affinity[1] = affinity[3] = affinity[6] = affinity[9] = 1.0;  // b, c and d to device 0
  Moves moves(*problem, {.longest_run = 1, .device_affinity = affinity});
  Decisions state = SimpleInitialPlans(*problem, 5).front();
  state.device_of_group.assign(4, DeviceId(0));
  Rng rng(1);
  int num_of_first = 0;
  int num_right = 0;
  for (int i = 0; i < 4000; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    num_of_first += next.device_of_group[0] != DeviceId(0) ? 1 : 0;
    num_right += next.device_of_group[0] == DeviceId(1) ? 1 : 0;
  }
  // 1/2 + 1/2 · 1/4 = 5/8 of 4,000; standard deviation 31; then 3/4 of 2,500, 22; five of them.
  EXPECT_NEAR(num_of_first, 2500, 155);
  EXPECT_NEAR(num_right, 1875, 170);
}

TEST(MovesTest, EachTaskHasAnEqualShareOfTheMoves) {
  const auto problem = EightOps(testing::kAll);
  Moves moves(*problem, {.num_levels = 5, .longest_run = 1});
  const Decisions state = SimpleInitialPlans(*problem, 5).front();
  Rng rng(1);
  int num_device_moves = 0;
  int num_fusion_moves = 0;
  for (int i = 0; i < 600; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    EXPECT_EQ(NumDifferences(state, next), 1U);
    num_device_moves += next.device_of_group != state.device_of_group ? 1 : 0;
    num_fusion_moves += next.fusion_of_group != state.fusion_of_group ? 1 : 0;
  }
  // A third of 600; standard deviation 12; five of them.
  EXPECT_NEAR(num_device_moves, 200, 60);
  EXPECT_NEAR(num_fusion_moves, 200, 60);
}

// All weight lies on op 5: the half of the moves that begin by weight all change it, and of the
// other half one in eight: 9/16 of 800 are 450; standard deviation 14; five of them.
TEST(MovesTest, WhereWeightsLieHalfOfTheMovesBegin) {
  const auto problem = EightOps(testing::kPlacement);
  Moves moves(*problem, {.longest_run = 1});
  const Decisions state{.device_of_group = env::GroupPlacement(8)};
  std::vector<double> weights(8, 0.0);
  weights[5] = 2.0;
  moves.BeginAt(weights);
  Rng rng(1);
  int num_of_five = 0;
  for (int i = 0; i < 800; ++i) {
    num_of_five += moves.Neighbour(state, rng).device_of_group[5] != DeviceId(0) ? 1 : 0;
  }
  EXPECT_NEAR(num_of_five, 450, 70);
  moves.BeginAt(std::vector<double>(8, 0.0));
  num_of_five = 0;
  for (int i = 0; i < 800; ++i) {
    num_of_five += moves.Neighbour(state, rng).device_of_group[5] != DeviceId(0) ? 1 : 0;
  }
  EXPECT_NEAR(num_of_five, 100, 47);  // an eighth; standard deviation 9.4
}

// Only moves of devices pay: of three tasks that had a third each, theirs is more than half soon.
TEST(MovesTest, WhatPaysIsSampledMoreOften) {
  const auto problem = EightOps(testing::kAll);
  Moves moves(*problem, {.num_levels = 5, .longest_run = 1});
  const Decisions state = SimpleInitialPlans(*problem, 5).front();
  Rng rng(1);
  const auto count_device_moves = [&] {
    int count = 0;
    for (int i = 0; i < 300; ++i) {
      const bool moves_a_device =
          moves.Neighbour(state, rng).device_of_group != state.device_of_group;
      count += moves_a_device ? 1 : 0;
      moves.Learn(moves_a_device);
    }
    return count;
  };
  count_device_moves();
  EXPECT_GT(count_device_moves(), 150);
}

TEST(MovesTest, ARunMovesNeighboursTogether) {
  const auto problem = EightOps(testing::kPlacement);
  Moves moves(*problem, {.longest_run = 4});
  const Decisions state{.device_of_group = env::GroupPlacement(8)};
  Rng rng(1);
  std::size_t longest = 0;
  for (int i = 0; i < 200; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    const std::size_t length = NumDifferences(state, next);
    EXPECT_GE(length, 1U);
    EXPECT_LE(length, 4U);
    longest = std::max(longest, length);
    // The ops are independent, so that topological neighbours are neighbours by number.
    std::size_t num_edges = 0;
    for (std::size_t g = 1; g < 8; ++g) {
      num_edges += next.device_of_group[g] == next.device_of_group[g - 1] ? 0 : 1;
    }
    EXPECT_LE(num_edges, 2U);
  }
  EXPECT_EQ(longest, 4U);
}

TEST(MovesTest, GroupsWithoutAChoiceStay) {
  std::vector<sim::OpSpec> ops{TimedOp("host", 2), TimedOp("a", 3), TimedOp("b", 5)};
  ops[0].device_kinds = sim::DeviceKindSet::None();
  ops[0].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  Moves moves(*problem, {.longest_run = 3});
  Decisions state = SimpleInitialPlans(*problem, 1).front();
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    state = moves.Neighbour(state, rng);
    EXPECT_EQ(state.device_of_group[0], DeviceId(std::int32_t{2}));
  }
}

TEST(MovesTest, ASwapGivesTwoGroupsEachOthersDevice) {
  const auto problem = EightOps(testing::kPlacement);
  Moves moves(*problem, {.longest_run = 1, .share_of_swaps = 1.0});
  Decisions state{.device_of_group = env::GroupPlacement(8)};
  for (std::size_t group = 0; group < 8; ++group) {
    state.device_of_group[group] = DeviceId(group % 2);
  }
  Rng rng(3);
  int num_swaps = 0;
  for (int i = 0; i < 200; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    const std::size_t num_changed = NumDifferences(state, next);
    // Two sampled on one device: one of them moves instead.
    ASSERT_TRUE(num_changed == 1U || num_changed == 2U);
    if (num_changed == 2U) {
      ++num_swaps;
      EXPECT_TRUE(std::ranges::is_permutation(state.device_of_group, next.device_of_group));
    }
  }
  // The other one is on the other device with probability 4 / 8; standard deviation 7.
  EXPECT_NEAR(num_swaps, 100, 35);
}

// Two chains a0 → a1 → a2 → a3 and b0 → b1 → b2 → b3 side by side, so that runs in topological
// order mix them.
std::shared_ptr<const env::Problem> TwoChains() {
  std::vector<sim::OpSpec> ops;
  for (std::int32_t i = 0; i < 8; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i >= 2) {
      inputs = {{i - 2, 0}};  // its chain's last
    }
    const std::string chain = i % 2 == 0 ? "a" : "b";
    ops.push_back(TimedOp(chain + std::to_string(i / 2), 5, inputs));
  }
  return MakeProblem(MakeGraph(ops), MeshMachine(3), testing::kPlacement);
}

TEST(MovesTest, ARegionIsConnectedAndGoesToOneDevice) {
  const auto problem = TwoChains();
  Moves moves(*problem, {.longest_run = 3, .share_of_regions = 1.0});
  const Decisions state{.device_of_group = env::GroupPlacement(8)};
  Rng rng(5);
  std::size_t longest = 0;
  for (int i = 0; i < 300; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    std::vector<std::size_t> moved;
    for (std::size_t group = 0; group < 8; ++group) {
      if (next.device_of_group[group] != state.device_of_group[group]) {
        moved.push_back(group);
        EXPECT_EQ(next.device_of_group[group], next.device_of_group[moved.front()]);
      }
    }
    ASSERT_GE(moved.size(), 1U);
    longest = std::max(longest, moved.size());
    // Groups of one chain have numbers of one parity, and neighbours in it differ by two.
    for (std::size_t k = 1; k < moved.size(); ++k) {
      EXPECT_EQ(moved[k], moved[k - 1] + 2);
    }
  }
  EXPECT_EQ(longest, 3U);
}

TEST(MovesTest, ARegionPrefersDevicesThatItIsBeside) {
  // a0 is alone on device 1, the rest of its chain on device 0: as often as not a region around a1
  // joins it there, else it goes to device 1 or 2 alike.
  const auto problem = TwoChains();
  Moves moves(*problem, {.longest_run = 1, .share_of_regions = 1.0});
  Decisions state{.device_of_group = env::GroupPlacement(8)};
  state.device_of_group[0] = DeviceId(std::int32_t{1});
  Rng rng(7);
  int joined = 0;
  int moved = 0;
  for (int i = 0; i < 1600; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    if (next.device_of_group[2] != state.device_of_group[2]) {
      ++moved;
      joined += next.device_of_group[2] == DeviceId(std::int32_t{1}) ? 1 : 0;
    }
  }
  // One in eight moves: 200, standard deviation 13. Of those 1/2 + 1/2 · 1/2 join: standard
  // deviation 0.031 of the share.
  EXPECT_NEAR(moved, 200, 65);
  EXPECT_NEAR(static_cast<double>(joined) / moved, 0.75, 0.16);
}

// Half of the moves are reassignments, and all of these move a1 to device 1. Of the runs, one in
// eight begins at a1, half of them to device 1: 200 + 12.5; standard deviation 10; five of them.
TEST(MovesTest, AReassignmentMovesItsGroupToItsDevice) {
  const auto problem = TwoChains();
  Moves moves(*problem, {.longest_run = 1, .share_of_reassignments = 1.0});
  moves.SetReassignments({{.group = 2, .device = DeviceId(std::int32_t{1}), .seconds = 1e-6}});
  Decisions state{.device_of_group = env::GroupPlacement(8)};
  Rng rng(1);
  int num_reassigned = 0;
  for (int i = 0; i < 400; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    EXPECT_EQ(NumDifferences(state, next), 1U);
    num_reassigned += next.device_of_group[2] == DeviceId(std::int32_t{1}) ? 1 : 0;
  }
  EXPECT_NEAR(num_reassigned, 212, 50);
  state.device_of_group[2] = DeviceId(std::int32_t{1});
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(NumDifferences(state, moves.Neighbour(state, rng)), 1U);
  }
}

// Half of the moves are takeovers, half of which are from the second elite, which has chain a on
// device 1: 100 of 400 move all of a; standard deviation 9; five of them. The first has nothing to
// give.
TEST(MovesTest, ATakeoverGivesGroupsTheDevicesOfAnElite) {
  const auto problem = TwoChains();
  Moves moves(*problem, {.longest_run = 1, .share_of_takeovers = 1.0});
  const Decisions state{.device_of_group = env::GroupPlacement(8)};
  env::GroupPlacement elite(8);
  for (std::size_t group = 0; group < 8; group += 2) {
    elite[group] = DeviceId(std::int32_t{1});
  }
  moves.SetElites(std::vector{state.device_of_group, elite});
  Rng rng(1);
  int num_taken_over = 0;
  for (int i = 0; i < 400; ++i) {
    num_taken_over += moves.Neighbour(state, rng).device_of_group == elite ? 1 : 0;
  }
  EXPECT_NEAR(num_taken_over, 100, 45);
}

// Clusters are the parts of two partitions by METIS into four, none of which is a whole chain, and
// the units of the elites, which are the chains. Every second cluster goes to the device of a
// neighbour elsewhere, of which there is none, so that one group moves. 50 of 300 move a whole
// chain; standard deviation 6.5; five of them.
TEST(MovesTest, UnitsThatElitesAgreeOnMoveTogether) {
  const auto problem = TwoChains();
  Moves moves(*problem, {.share_of_clusters = 1.0});
  const Decisions state{.device_of_group = env::GroupPlacement(8)};
  env::GroupPlacement elite(8);
  for (std::size_t group = 0; group < 8; group += 2) {
    elite[group] = DeviceId(std::int32_t{1});
  }
  moves.SetElites(std::vector{state.device_of_group, elite});
  Rng rng(1);
  int num_chains = 0;
  for (int i = 0; i < 300; ++i) {
    num_chains += NumDifferences(state, moves.Neighbour(state, rng)) == 4U ? 1 : 0;
  }
  EXPECT_NEAR(num_chains, 50, 33);
}

}  // namespace
}  // namespace opyard::agents
