#include "sim/cost/cost_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using opyard::testing::GraphOf;
using opyard::testing::RoundDevice;
using opyard::testing::SpecOf;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Three devices: gpu0 and gpu1 alike, cpu0 ten times slower and without launch.
HardwareProfile ThreeDevices() {
  HardwareProfile machine;
  machine.name = "three";
  machine.devices = {RoundDevice(), RoundDevice(), RoundDevice()};
  machine.devices[1].name = "gpu1";
  machine.devices[2].name = "cpu0";
  machine.devices[2].type = "slow";
  machine.devices[2].kind = DeviceKind::kCpu;
  machine.devices[2].launch_overhead_s = 0;
  machine.devices[2].peak_flops_per_s[DType::kF32] = 1e11;
  return machine;
}

TEST(CostTableTest, TimesAreTheModelsSecondsRoundedOnce) {
  const auto graph = GraphOf(SpecOf("Relu", 3e6, 0));
  const CostTable table(*graph, ThreeDevices(), RooflineModel());
  EXPECT_EQ(table.time(OpId(0), DeviceId(0)), SimTime{5'000'000});  // 2 us + 3 us
  EXPECT_EQ(table.time(OpId(0), DeviceId(1)), SimTime{5'000'000});
  EXPECT_EQ(table.time(OpId(0), DeviceId(2)), SimTime{30'000'000});  // 3 MFLOP / 0.1 TFLOP/s
  EXPECT_DOUBLE_EQ(table.cost(OpId(0), DeviceId(0)).launch_s, 2e-6);
}

TEST(CostTableTest, MeasuredTimesOfOneNameDistinguishEqualDevices) {
  OpSpec spec = SpecOf("Relu", 3e6, 0);
  spec.seconds = {{.where = "gpu1", .seconds = 7e-6}};
  const CostTable table(*GraphOf(spec), ThreeDevices(), RooflineModel());
  EXPECT_EQ(table.time(OpId(0), DeviceId(0)), SimTime{5'000'000});
  EXPECT_EQ(table.time(OpId(0), DeviceId(1)), SimTime{7'000'000});
}

TEST(CostTableTest, MeasuredTimesOfOneTypeDistinguishEqualDevices) {
  HardwareProfile machine = ThreeDevices();
  machine.devices[1].type = "other";
  OpSpec spec = SpecOf("Relu", 3e6, 0);
  spec.seconds = {{.where = "other", .seconds = 7e-6}};
  const CostTable table(*GraphOf(spec), machine, RooflineModel());
  EXPECT_EQ(table.time(OpId(0), DeviceId(0)), SimTime{5'000'000});
  EXPECT_EQ(table.time(OpId(0), DeviceId(1)), SimTime{7'000'000});
}

TEST(CostTableTest, TheMeanIsOverAllowedDevices) {
  OpSpec spec = SpecOf("Relu", 3e6, 0);
  EXPECT_DOUBLE_EQ(CostTable(*GraphOf(spec), ThreeDevices(), RooflineModel()).MeanSeconds(OpId(0)),
                   40e-6 / 3);  // (5 + 5 + 30) us / 3
  spec.device_kinds = DeviceKindSet::None();
  spec.device_kinds.Insert(DeviceKind::kGpu);
  EXPECT_DOUBLE_EQ(CostTable(*GraphOf(spec), ThreeDevices(), RooflineModel()).MeanSeconds(OpId(0)),
                   5e-6);
}

std::string TableProblem(OpSpec spec) {
  try {
    const CostTable table(*GraphOf(std::move(spec)), ThreeDevices(), RooflineModel());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CostTableTest, ATimeThatDoesNotFitNamesOpAndDevice) {
  EXPECT_THAT(TableProblem(SpecOf("Relu", 1e30, 0)),
              AllOf(HasSubstr("op \"op\""), HasSubstr("device \"gpu0\"")));
  EXPECT_THAT(TableProblem(SpecOf("Relu", 1e308, 0)), HasSubstr("expected at most 4.6e6 s"));
}

TEST(CostTableTest, TimesThatDoNotFitTogetherAreRefused) {
  OpGraphBuilder builder("long");
  for (const char* name : {"a", "b"}) {
    OpSpec spec = SpecOf("Relu", 0, 0);
    spec.name = name;
    spec.seconds = {{.where = "*", .seconds = 3e6}};
    builder.AddOp(spec);
  }
  EXPECT_THROW(CostTable(*builder.Build(), ThreeDevices(), RooflineModel()), InputError);
}

}  // namespace
}  // namespace opyard::sim
