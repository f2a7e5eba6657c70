#include "env/features/device_features.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/features/main_devices.h"
#include "tests/env/features/hand_case.h"

namespace opyard::env {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;

// The column `name` for cpu0, gpu0, gpu1 (hand_case.h).
std::vector<float> DeviceColumn(std::string_view name) {
  return ColumnOf(HandStepObservation().device_x, kDeviceFeatureNames, name);
}

std::vector<DeviceId> MainOf(const std::vector<sim::DeviceKind>& kinds) {
  sim::HardwareProfile machine = opyard::testing::MeshMachine(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    machine.devices[i].kind = kinds[i];
  }
  return MainDevices(*MakeProblem(ChainGraph(), machine));
}

TEST(MainDevicesTest, AreOfTheKindOfTheFirstAccelerator) {
  using enum sim::DeviceKind;
  EXPECT_THAT(MainOf({kCpu, kTpu, kGpu, kTpu}), ElementsAre(DeviceId(1), DeviceId(3)));
  EXPECT_THAT(MainOf({kCpu, kCpu}), ElementsAre(DeviceId(0), DeviceId(1)));
}

TEST(DeviceFeaturesTest, KindsAreFlags) {
  EXPECT_THAT(DeviceColumn("gpu"), ElementsAre(0.0F, 1.0F, 1.0F));
  EXPECT_THAT(DeviceColumn("cpu"), ElementsAre(1.0F, 0.0F, 0.0F));
  EXPECT_THAT(DeviceColumn("tpu"), Each(0.0F));
  EXPECT_THAT(DeviceColumn("other"), Each(0.0F));
  EXPECT_THAT(DeviceColumn("is_main"), ElementsAre(0.0F, 1.0F, 1.0F));
}

TEST(DeviceFeaturesTest, TheSlotDistinguishesDevicesOfOneKind) {
  // the first of one CPU; the first and the second of two GPUs
  EXPECT_THAT(DeviceColumn("slot"), ElementsAre(0.0F, 0.0F, 0.5F));
}

TEST(DeviceFeaturesTest, CapacityIsComparedWithWhatTheGraphNeeds) {
  // parameters 10,000 + 57,600, outputs with storage 3000 + 40,400 + 23,000 + 10,000: 144,000 B;
  // 1,296,000 : 144,000 = 9, then 1, then 1/4
  EXPECT_THAT(DeviceColumn("capacity_to_needs"),
              ElementsAre(FloatEq(3.0F / 4), FloatEq(1.0F / 2), FloatEq(1.0F / 3)));
}

TEST(DeviceFeaturesTest, ReservedMemoryIsNoCapacity) {
  sim::HardwareProfile machine = HandMachine();
  machine.memory.reserve = 0.75;
  const Observation observation = Observe(*MakeProblem(HandStep(), machine));

  // a quarter of the ratios 9, 1 and 1/4; squash(9/4) = (3/2) / (5/2) = 3/5
  EXPECT_THAT(ColumnOf(observation.device_x, kDeviceFeatureNames, "capacity_to_needs"),
              ElementsAre(FloatEq(3.0F / 5), FloatEq(1.0F / 3), FloatEq(1.0F / 5)));
}

TEST(DeviceFeaturesTest, SpeedIsComparedWithTheMeanMainDevice) {
  // On cpu0: all ops, t(o) 36 us; here 19.6 + 490 + 176.4 + 1 = 687 us.
  // On gpu0: all but host_op, 35 us; here 0.04 + 1 + 0.36 = 1.4 us: squash(25) = 5/6.
  // On gpu1: 35 us; here 1.96 + 49 + 17.64 = 68.6 us: squash(25/49) = (5/7) / (12/7) = 5/12.
  const double root = std::sqrt(36.0 / 687.0);
  EXPECT_THAT(
      DeviceColumn("speed"),
      ElementsAre(
          FloatEq(static_cast<float>(root / (1.0 + root))), FloatEq(5.0F / 6), FloatEq(5.0F / 12)));
}

TEST(DeviceFeaturesTest, TheShareOfAllowedOpsSaysWhoMayRunEverything) {
  EXPECT_THAT(DeviceColumn("allowed_ops"), ElementsAre(1.0F, FloatEq(5.0F / 6), FloatEq(5.0F / 6)));
}

TEST(DeviceFeaturesTest, ADeviceThatMayRunNothingHasNoSpeed) {
  sim::OpSpec op = opyard::testing::TimedOp("a", 2);
  op.device_kinds = sim::DeviceKindSet::None();
  op.device_kinds.Insert(sim::DeviceKind::kGpu);
  const Observation observation =
      Observe(*MakeProblem(opyard::testing::MakeGraph({op}), HandMachine()));

  EXPECT_THAT(ColumnOf(observation.device_x, kDeviceFeatureNames, "speed"),
              ElementsAre(0.0F, 0.5F, 0.5F));
  EXPECT_THAT(ColumnOf(observation.device_x, kDeviceFeatureNames, "allowed_ops"),
              ElementsAre(0.0F, 1.0F, 1.0F));
}

}  // namespace
}  // namespace opyard::env
