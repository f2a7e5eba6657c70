#include "env/features/op_features.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/env/features/hand_case.h"

namespace opyard::env {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

// The column `name` for variable, a, b, c, view, host_op; hand_case.h has their figures.
// squash(r) = √r / (1 + √r).
std::vector<float> OpColumn(std::string_view name) {
  return ColumnOf(HandStepObservation().x, kFeatureNames, name);
}

TEST(OpFeaturesTest, TimesAreMeansOverTheMainDevices) {
  // 0, 1, 25, 9, 0 us on the GPUs (the CPU would take 20 to 490 us), and 1 us where only the CPU
  // may
  const auto most = static_cast<float>(std::log1p(25.0));
  EXPECT_THAT(OpColumn("compute_time"),
              ElementsAre(0.0F,
                          FloatEq(static_cast<float>(std::log(2.0)) / most),
                          1.0F,
                          FloatEq(static_cast<float>(std::log(10.0)) / most),
                          0.0F,
                          FloatEq(static_cast<float>(std::log(2.0)) / most)));
}

TEST(OpFeaturesTest, PathsAreSharesOfTheCriticalPath) {
  // critical path 25 us; to the end of variable 0, a 1, b 25, c 1 + 9, view 10, host_op 11
  EXPECT_THAT(OpColumn("from_sources"), ElementsAre(0.0F, 0.04F, 1.0F, 0.4F, 0.4F, 0.44F));
  // from the beginning of variable 25, a 11, b 25, c 10, view 1, host_op 1
  EXPECT_THAT(OpColumn("to_sinks"), ElementsAre(1.0F, 0.44F, 1.0F, 0.4F, 0.04F, 0.04F));
}

TEST(OpFeaturesTest, TransfersOfWhatIsReadAreComparedWithTheTime) {
  // variable 7 us : 0, a 4 : 1, b nothing is read : 25, c 9 + 16 : 9, view 9 : 0, host_op 0 : 1;
  // squash(4) = 2/3, squash(25/9) = (5/3) / (8/3) = 5/8
  EXPECT_THAT(OpColumn("transfer_to_compute"),
              ElementsAre(1.0F, FloatEq(2.0F / 3), 0.0F, FloatEq(5.0F / 8), 1.0F, 0.0F));
}

TEST(OpFeaturesTest, ParametersAreComparedWithTheMeanMainCapacity) {
  // (144,000 + 36,000) / 2 = 90,000 B; 10,000 : 90,000 = 1/9 and 57,600 : 90,000 = 16/25;
  // squash(1/9) = (1/3) / (4/3) = 1/4, squash(16/25) = (4/5) / (9/5) = 4/9
  EXPECT_THAT(OpColumn("params_to_capacity"),
              ElementsAre(FloatEq(1.0F / 4), 0.0F, FloatEq(4.0F / 9), 0.0F, 0.0F, 0.0F));
}

TEST(OpFeaturesTest, OutputsThatHaveStorageAndWorkspaceAreComparedWithTheCapacity) {
  // of 90,000 B: variable 0 (its output is its parameters), a 3000 + 600 = 1/25, b 40,400 + 49,600
  // = 1, c 23,000 + 17,000 = 4/9, view 0 (it is an alias), host_op 10,000 = 1/9
  EXPECT_THAT(
      OpColumn("working_to_capacity"),
      ElementsAre(
          0.0F, FloatEq(1.0F / 6), FloatEq(1.0F / 2), FloatEq(2.0F / 5), 0.0F, FloatEq(1.0F / 4)));
}

TEST(OpFeaturesTest, TimesAreComparedWithTheCriticalPath) {
  // 1 : 25, 25 : 25, 9 : 25; squash(9/25) = (3/5) / (8/5) = 3/8
  EXPECT_THAT(
      OpColumn("time_to_critical_path"),
      ElementsAre(
          0.0F, FloatEq(1.0F / 6), FloatEq(1.0F / 2), FloatEq(3.0F / 8), 0.0F, FloatEq(1.0F / 6)));
}

TEST(OpFeaturesTest, TimesAreComparedWithAllWork) {
  // 1 : 36, 25 : 36, 9 : 36; squash(25/36) = (5/6) / (11/6) = 5/11
  EXPECT_THAT(
      OpColumn("time_to_work"),
      ElementsAre(
          0.0F, FloatEq(1.0F / 7), FloatEq(5.0F / 11), FloatEq(1.0F / 3), 0.0F, FloatEq(1.0F / 7)));
}

TEST(OpFeaturesTest, TimesAreComparedWithTheMeanOfTheOpsThatTakeTime) {
  // 1 : 9, 25 : 9, 9 : 9
  EXPECT_THAT(
      OpColumn("time_to_op_time"),
      ElementsAre(
          0.0F, FloatEq(1.0F / 4), FloatEq(5.0F / 8), FloatEq(1.0F / 2), 0.0F, FloatEq(1.0F / 4)));
}

TEST(OpFeaturesTest, CoLocationCountsForWhatADeviceAllows) {
  // `light` may run anywhere, but goes where `host_only` goes: 7 us on the CPU, not 2 on the GPU
  sim::OpSpec light = opyard::testing::TimedOp("light", 2);
  light.seconds.push_back({.where = "cpu", .seconds = 7e-6});
  light.colocation = "g";
  sim::OpSpec host_only = opyard::testing::TimedOp("host_only", 5);
  host_only.device_kinds = sim::DeviceKindSet::None();
  host_only.device_kinds.Insert(sim::DeviceKind::kCpu);
  host_only.colocation = "g";
  const Observation observation =
      Observe(*MakeProblem(opyard::testing::MakeGraph({light, host_only}), HandMachine()));

  // The critical path is the longer of both, 7 us.
  EXPECT_THAT(ColumnOf(observation.x, kFeatureNames, "to_sinks"),
              ElementsAre(1.0F, FloatEq(5.0F / 7)));
}

TEST(OpFeaturesTest, WithoutLinksBetweenMainDevicesTransfersTakeNoTime) {
  const Observation observation =
      Observe(*MakeProblem(opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 2),
                                                       opyard::testing::TimedOp("b", 3, {{0, 0}})}),
                           opyard::testing::MeshMachine(1)));

  EXPECT_THAT(ColumnOf(observation.x, kFeatureNames, "transfer_to_compute"),
              ElementsAre(0.0F, 0.0F));
  EXPECT_THAT(ColumnOf(observation.edge_x, kEdgeFeatureNames, "transfer_to_op_time"),
              ElementsAre(0.0F));
}

}  // namespace
}  // namespace opyard::env
