#include "env/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

sim::DeviceKindSet Only(sim::DeviceKind kind) {
  auto kinds = sim::DeviceKindSet::None();
  kinds.Insert(kind);
  return kinds;
}

// cpu0, then two GPUs.
sim::HardwareProfile MachineWithCpuFirst() {
  sim::HardwareProfile machine = MeshMachine(3);
  machine.devices[0].name = "cpu0";
  machine.devices[0].kind = sim::DeviceKind::kCpu;
  return machine;
}

sim::OpSpec OpOn(const std::string& name, sim::DeviceKind kind, const std::string& label = "") {
  sim::OpSpec op = TimedOp(name, 2);
  op.device_kinds = Only(kind);
  op.colocation = label;
  return op;
}

sim::OpSpec Labelled(const std::string& name, const std::string& label) {
  sim::OpSpec op = TimedOp(name, 2);
  op.colocation = label;
  return op;
}

TEST(ProblemTest, TheFirstAcceleratorIsTheFirstDeviceThatIsNoCpu) {
  EXPECT_EQ(MakeProblem(ChainGraph(), MachineWithCpuFirst())->first_accelerator(), DeviceId(1));
}

TEST(ProblemTest, WithoutAcceleratorTheFirstDeviceStandsIn) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.devices[0].kind = sim::DeviceKind::kCpu;

  EXPECT_EQ(MakeProblem(ChainGraph(), machine)->first_accelerator(), DeviceId(0));
}

TEST(ProblemTest, AllowedDevicesFollowTheKinds) {
  const auto problem = MakeProblem(
      MakeGraph({OpOn("host", sim::DeviceKind::kCpu), OpOn("kernel", sim::DeviceKind::kGpu)}),
      MachineWithCpuFirst());

  EXPECT_THAT(problem->AllowedDevices(0), ElementsAre(DeviceId(0)));
  EXPECT_THAT(problem->AllowedDevices(1), ElementsAre(DeviceId(1), DeviceId(2)));
}

TEST(ProblemTest, CoLocatedOpsMayRunOnlyWhereAllOfThemMay) {
  const auto problem =
      MakeProblem(MakeGraph({Labelled("free", "g"), OpOn("host", sim::DeviceKind::kCpu, "g")}),
                  MachineWithCpuFirst());

  ASSERT_EQ(problem->grouping().num_groups, 1);
  EXPECT_THAT(problem->AllowedDevices(0), ElementsAre(DeviceId(0)));
}

TEST(ProblemTest, DefaultPlacementIsTheAcceleratorWhereAllowedAndKeepsGroupsTogether) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("plain", 2),
                                              OpOn("host", sim::DeviceKind::kCpu),
                                              Labelled("free", "g"),
                                              OpOn("bound", sim::DeviceKind::kCpu, "g")}),
                                   MachineWithCpuFirst());

  EXPECT_THAT(problem->default_placement(),
              ElementsAre(DeviceId(1), DeviceId(0), DeviceId(0), DeviceId(0)));
}

TEST(ProblemTest, AnOpWithoutADeviceIsNamed) {
  try {
    (void)MakeProblem(MakeGraph({OpOn("matrix", sim::DeviceKind::kTpu)}), MeshMachine(2));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("op \"matrix\" may run on no device"));
    EXPECT_THAT(error.what(), HasSubstr("kinds allowed: tpu; devices: d0, d1"));
  }
}

TEST(ProblemTest, RulesThatAreNotSimulatedAreRefused) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.rules = sim::Rules::kPlaceto;
  machine.transfers.sharing = sim::Sharing::kFair;

  EXPECT_THROW((void)MakeProblem(ChainGraph(), machine), UnsupportedError);
}

TEST(ProblemTest, GroupsAreCoarsenedToTheLimit) {
  EXPECT_EQ(ChainProblem({.max_groups = 2})->grouping().num_groups, 2);
}

TEST(ProblemTest, DecidingPerOpKeepsEveryOpButNotCoLocatedOnesApart) {
  const auto problem =
      MakeProblem(MakeGraph({Labelled("a", "g"), TimedOp("b", 3), Labelled("c", "g")}),
                  MeshMachine(2),
                  {.decide_per = DecidePer::kOp, .max_groups = 1});

  EXPECT_THAT(problem->grouping().group_of, ElementsAre(0, 1, 0));
}

TEST(ProblemTest, LessThanOneGroupIsRefused) {
  EXPECT_THROW((void)ChainProblem({.max_groups = 0}), InputError);
}

TEST(ProblemTest, WithoutFusionTheBoundOfAChainIsItsLength) {
  EXPECT_EQ(ChainProblem({.default_fusion = DefaultFusion::kNone})->problem_bound(),
            opyard::testing::Microseconds(2 + 3 + 5));
}

TEST(ProblemTest, MeasuredOpsThatMayFuseBoundNothing) {
  EXPECT_EQ(ChainProblem({.default_fusion = DefaultFusion::kFramework})->problem_bound(),
            SimTime{});
  EXPECT_EQ(ChainProblem({.tasks = {.fusion = true}, .default_fusion = DefaultFusion::kNone})
                ->problem_bound(),
            SimTime{});
}

TEST(ProblemTest, ByDefaultEveryOpFusesAsInAFramework) {
  EXPECT_THAT(ChainProblem()->default_fusion_priority(), ElementsAre(1, 1, 1));
  EXPECT_THAT(ChainProblem({.default_fusion = DefaultFusion::kNone})->default_fusion_priority(),
              ElementsAre());
}

TEST(ProblemTest, NothingFusesUnderRulesPlaceto) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.rules = sim::Rules::kPlaceto;

  EXPECT_THAT(MakeProblem(ChainGraph(), machine)->default_fusion_priority(), ElementsAre());
  EXPECT_THROW((void)MakeProblem(ChainGraph(), machine, {.tasks = {.fusion = true}}),
               UnsupportedError);
}

TEST(ProblemTest, TheScaleIsTheBoundWithoutFusionAndTheLargestCapacity) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].memory = Bytes{3'000'000};
  machine.memory.reserve = 0.5;
  const ObjectiveScale scale = MakeProblem(ChainGraph(), machine)->objective_scale();

  EXPECT_EQ(scale.reference_makespan, opyard::testing::Microseconds(10));
  EXPECT_EQ(scale.largest_capacity, Bytes{1'500'000});
}

TEST(ProblemTest, TheScaleOfAGraphWithoutTimeCanBeDividedBy) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("view", 0)}), MeshMachine(1));

  EXPECT_EQ(problem->objective_scale().reference_makespan, SimTime{1});
}

}  // namespace
}  // namespace opyard::env
