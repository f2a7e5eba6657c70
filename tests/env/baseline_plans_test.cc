#include "env/baseline_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::PlacedOn;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;

// Nothing fuses, so plans hold a placement alone.
const ProblemSettings kUnfused{.default_fusion = DefaultFusion::kNone};

// Devices d0, d1 are GPUs, d2 is a CPU; the second op must run on the CPU.
std::shared_ptr<const Problem> MixedProblem() {
  sim::HardwareProfile machine = MeshMachine(3);
  machine.devices[2].kind = sim::DeviceKind::kCpu;
  sim::OpSpec host = TimedOp("host", 3);
  host.device_kinds = sim::DeviceKindSet::None();
  host.device_kinds.Insert(sim::DeviceKind::kCpu);
  return MakeProblem(MakeGraph({TimedOp("a", 2), host, TimedOp("c", 5)}), machine, kUnfused);
}

TEST(SingleDevicePlansTest, ThereIsOnePerDeviceAndOpsGoElsewhereOnlyWhereTheyMust) {
  EXPECT_THAT(SingleDevicePlans(*MixedProblem()),
              ElementsAre(PlacedOn({0, 2, 0}), PlacedOn({1, 2, 1}), PlacedOn({2, 2, 2})));
}

TEST(ContiguousSplitPlanTest, CutsWhereTheWorkIsHalved) {
  // Times 2, 3, 5: middles at 1, 3.5 and 7.5 of 10, shares 0, 0 and 1 of two.
  EXPECT_EQ(ContiguousSplitPlan(*ChainProblem(kUnfused)), PlacedOn({0, 0, 1}));
}

TEST(ContiguousSplitPlanTest, UsesAcceleratorsOnly) {
  EXPECT_EQ(ContiguousSplitPlan(*MixedProblem()), PlacedOn({0, 2, 1}));
}

TEST(ContiguousSplitPlanTest, AGraphWithoutTimeStaysTogether) {
  const auto problem =
      MakeProblem(MakeGraph({TimedOp("a", 0), TimedOp("b", 0)}), MeshMachine(2), kUnfused);

  EXPECT_EQ(ContiguousSplitPlan(*problem), PlacedOn({0, 0}));
}

TEST(BaselinePlansTest, AreTheSingleDevicesThenTheSplit) {
  EXPECT_THAT(BaselinePlans(*ChainProblem(kUnfused)),
              ElementsAre(PlacedOn({0, 0, 0}), PlacedOn({1, 1, 1}), PlacedOn({0, 0, 1})));
}

}  // namespace
}  // namespace opyard::env
