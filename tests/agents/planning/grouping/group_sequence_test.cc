#include "agents/planning/grouping/group_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/group_placement.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;

// a → {b, c}, b → d, c → d, d → e: only e reads d, and only d reads b and c; a has two readers.
std::shared_ptr<const env::Problem> DiamondWithTail() {
  return MakeProblem(MakeGraph({TimedOp("a", 2),
                                TimedOp("b", 3, {{0, 0}}),
                                TimedOp("c", 5, {{0, 0}}),
                                TimedOp("d", 7, {{1, 0}, {2, 0}}),
                                TimedOp("e", 11, {{3, 0}})}),
                     MeshMachine(2));
}

TEST(GroupSequenceTest, TheGroupsOfTheProblemStandInTopologicalOrder) {
  const GroupSequence sequence =
      MakeGroupSequence(*DiamondWithTail(), {.rule = GroupingRule::kProblem});
  EXPECT_THAT(sequence.group_of_op, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(sequence.device_mask, ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_TRUE(sequence.has_choice());
}

TEST(GroupSequenceTest, WhatOneGroupReadsJoinsItsReader) {
  // d joins e, b and c join d; then a has one reader, too. At most three ops: {c, d, e} and what is
  // left.
  const GroupSequence sequence =
      MakeGroupSequence(*DiamondWithTail(), {.rule = GroupingRule::kSingleConsumer, .max_ops = 3});
  EXPECT_EQ(sequence.group_of_op[3], sequence.group_of_op[4]);
  EXPECT_LT(sequence.num_groups, 5);
}

TEST(GroupSequenceTest, AsNeededGroupsMergeOnlyWhereThereAreTooMany) {
  const auto num_groups = [](std::int32_t max_groups) {
    return MakeGroupSequence(*DiamondWithTail(),
                             {.rule = GroupingRule::kAsNeeded, .max_groups = max_groups})
        .num_groups;
  };
  EXPECT_EQ(num_groups(5), 5);
  // Pairs are enough: d and e; b and c, which read a and feed d, keep apart.
  EXPECT_EQ(num_groups(4), 4);
}

TEST(GroupSequenceTest, NoMoreGroupsThanAskedFor) {
  const GroupSequence sequence =
      MakeGroupSequence(*DiamondWithTail(), {.rule = GroupingRule::kProblem, .max_groups = 2});
  EXPECT_LE(sequence.num_groups, 2);
}

TEST(GroupSequenceTest, EveryGroupOfTheProblemGetsTheDeviceOfItsUnion) {
  const auto problem = DiamondWithTail();
  const GroupSequence sequence =
      MakeGroupSequence(*problem, {.rule = GroupingRule::kProblem, .max_groups = 2});
  const std::vector<std::int64_t> chosen = {1, 0};
  const env::GroupPlacement devices = DeviceOfProblemGroups(sequence, chosen);
  ASSERT_EQ(devices.size(), 5U);
  for (std::size_t op = 0; op < 5; ++op) {
    const auto group = static_cast<std::size_t>(sequence.group_of_op[op]);
    EXPECT_EQ(devices[op].index(), static_cast<std::size_t>(chosen[group]));
  }
}

}  // namespace
}  // namespace opyard::agents
