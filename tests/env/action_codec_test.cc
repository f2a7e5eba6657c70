#include "env/action_codec.h"

#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/group_placement.h"
#include "sim/base/error.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Action = std::vector<std::int32_t>;

// Ops a and c share a label, b stands alone and runs on the CPU only. Devices: d0, d1 GPUs, d2 CPU.
// Groups: {a, c} = 0, {b} = 1.
std::shared_ptr<const Problem> GroupedProblem(TaskSet tasks) {
  sim::OpSpec a = TimedOp("a", 2);
  sim::OpSpec b = TimedOp("b", 3, {{0, 0}});
  sim::OpSpec c = TimedOp("c", 5, {{1, 0}});
  a.colocation = "g";
  c.colocation = "g";
  b.device_kinds = sim::DeviceKindSet::None();
  b.device_kinds.Insert(sim::DeviceKind::kCpu);
  sim::HardwareProfile machine = MeshMachine(3);
  machine.devices[2].kind = sim::DeviceKind::kCpu;
  return MakeProblem(MakeGraph({a, b, c}), machine, {.tasks = tasks});
}

std::string PlanErrorOf(const ActionCodec& codec, const Action& action) {
  try {
    (void)codec.Decode(action);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ActionCodecTest, PlacementAsksForOneDevicePerGroup) {
  const ActionCodec codec(GroupedProblem(kPlacementOnly));

  EXPECT_THAT(codec.num_choices(), ElementsAre(3, 3));
}

TEST(ActionCodecTest, SchedulingAddsOneLevelPerGroup) {
  const ActionCodec codec(GroupedProblem(kBothTasks), 7);

  EXPECT_THAT(codec.num_choices(), ElementsAre(3, 3, 7, 7));
}

TEST(ActionCodecTest, TheMaskAllowsTheDevicesOfEachGroupAndAllLevels) {
  const ActionCodec codec(GroupedProblem(kBothTasks), 2);

  // group 0 on d0, d1, d2; group 1 on d2 only; two levels each
  EXPECT_THAT(codec.mask(), ElementsAre(1, 1, 1, 0, 0, 1, 1, 1, 1, 1));
}

TEST(ActionCodecTest, ADeviceGoesToAllOpsOfItsGroup) {
  const ActionCodec codec(GroupedProblem(kPlacementOnly));
  const sim::Plan plan = codec.Decode(Action{1, 2});

  EXPECT_THAT(plan.placement, ElementsAre(DeviceId(1), DeviceId(2), DeviceId(1)));
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kFifo);
  EXPECT_TRUE(plan.op_priority.empty());
}

TEST(ActionCodecTest, LevelsBecomePrioritiesAndThePriorityQueue) {
  const ActionCodec codec(GroupedProblem(kBothTasks));
  const sim::Plan plan = codec.Decode(Action{0, 2, 19, 4});

  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kPriority);
  EXPECT_THAT(plan.op_priority, ElementsAre(19, 4, 19));
}

TEST(ActionCodecTest, FusionAddsOneMoreLevelPerGroup) {
  const ActionCodec codec(GroupedProblem(kAllTasks), 2);

  EXPECT_THAT(codec.num_choices(), ElementsAre(3, 3, 2, 2, 2, 2));
  EXPECT_THAT(codec.mask(), ElementsAre(1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(ActionCodecTest, FusionLevelsBecomeFusionPriorities) {
  const ActionCodec codec(GroupedProblem(kAllTasks));
  const sim::Plan plan = codec.Decode(Action{0, 2, 19, 4, 0, 7});

  EXPECT_THAT(plan.op_priority, ElementsAre(19, 4, 19));
  EXPECT_THAT(plan.fusion_priority, ElementsAre(0, 7, 0));
}

TEST(ActionCodecTest, FusionAloneKeepsEverythingElse) {
  const auto problem = GroupedProblem({.placement = false, .fusion = true});
  const ActionCodec codec(problem);
  const sim::Plan plan = codec.Decode(Action{3, 5});

  EXPECT_EQ(plan.placement, problem->default_placement());
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kFifo);
  EXPECT_TRUE(plan.op_priority.empty());
  EXPECT_THAT(plan.fusion_priority, ElementsAre(3, 5, 3));
}

TEST(ActionCodecTest, WhereFusionIsNoTaskAllThatMayFuses) {
  const ActionCodec codec(GroupedProblem(kBothTasks));

  EXPECT_THAT(codec.Decode(Action{0, 2, 19, 4}).fusion_priority, ElementsAre(1, 1, 1));
}

TEST(ActionCodecTest, WithoutPlacementTheDefaultStands) {
  const auto problem = GroupedProblem({.placement = false, .scheduling = true});
  const ActionCodec codec(problem);
  const sim::Plan plan = codec.Decode(Action{3, 5});

  EXPECT_EQ(plan.placement, problem->default_placement());
  EXPECT_THAT(plan.op_priority, ElementsAre(3, 5, 3));
}

TEST(ActionCodecTest, TheLegalActionsAreThoseOfTheMask) {
  const ActionCodec codec(GroupedProblem(kPlacementOnly));

  EXPECT_TRUE(codec.IsLegal(Action{1, 2}));
  EXPECT_FALSE(codec.IsLegal(Action{1, 1}));  // b may not run on a GPU
  EXPECT_FALSE(codec.IsLegal(Action{3, 2}));  // no device 3
  EXPECT_FALSE(codec.IsLegal(Action{-1, 2}));
  EXPECT_FALSE(codec.IsLegal(Action{1}));
  EXPECT_FALSE(codec.IsLegal(Action{1, 2, 0}));
}

TEST(ActionCodecTest, AMaskedDeviceIsNamedWithWhatIsAllowed) {
  const ActionCodec codec(GroupedProblem(kPlacementOnly));

  EXPECT_EQ(PlanErrorOf(codec, {0, 1}),
            "action#/1: group 1 may not run on \"d1\", expected one of d2");
}

TEST(ActionCodecTest, TheFirstChoiceOutOfRangeIsNamed) {
  const ActionCodec codec(GroupedProblem(kBothTasks), 5);

  EXPECT_EQ(PlanErrorOf(codec, {0, 2, 5, -1}),
            "action#/2: found 5, expected a whole number in [0, 4]");
}

TEST(ActionCodecTest, TheWrongLengthIsNamed) {
  const ActionCodec codec(GroupedProblem(kPlacementOnly));

  EXPECT_EQ(PlanErrorOf(codec, {0}), "action#: found 1 numbers, expected 2");
}

TEST(ActionCodecTest, LessThanOneLevelIsRefused) {
  EXPECT_THROW(ActionCodec(GroupedProblem(kBothTasks), 0), InputError);
}

TEST(PlanFromGroupsTest, TakesTheProblemsQueueAndFusion) {
  const auto problem = ChainProblem(
      {.default_queue = sim::QueueDiscipline::kPriority, .default_fusion = DefaultFusion::kNone});
  const GroupPlacement device_of_group = {DeviceId(1), DeviceId(0), DeviceId(1)};
  const sim::Plan plan = PlanFromGroups(*problem, device_of_group);

  EXPECT_EQ(plan.placement, device_of_group);
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kPriority);
  EXPECT_TRUE(plan.fusion_priority.empty());
}

TEST(RanksOfTest, GreaterKeysGetHigherRanks) {
  EXPECT_THAT(RanksOf(std::vector{0.5, -3.0, 7.25}), ElementsAre(1, 0, 2));
}

TEST(RanksOfTest, EqualKeysShareARankAndRanksHaveNoGaps) {
  // 0.0 and −0.0 are equal keys.
  EXPECT_THAT(RanksOf(std::vector{2.0, 0.0, 2.0, -0.0, 3.0}), ElementsAre(1, 0, 1, 0, 2));
}

TEST(RanksOfTest, InfinitiesHaveTheirPlace) {
  const double infinity = std::numeric_limits<double>::infinity();

  EXPECT_THAT(RanksOf(std::vector{infinity, 1.0, -infinity}), ElementsAre(2, 1, 0));
}

TEST(RanksOfTest, NoKeysGiveNoRanks) {
  EXPECT_TRUE(RanksOf(std::vector<double>{}).empty());
}

}  // namespace
}  // namespace opyard::env
