#include "sim/plan/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::HasSubstr;

// Ops a (any device), b and c (co-located as "g", gpu only), each with one output.
std::shared_ptr<const OpGraph> ThreeOps() {
  OpGraphBuilder builder("three");
  for (const char* name : {"a", "b", "c"}) {
    OpSpec spec;
    spec.name = name;
    spec.type = "Relu";
    spec.outputs = {OutputSpec{.bytes = Bytes{8}}};
    if (builder.num_ops() > 0) {
      spec.colocation = "g";
      spec.device_kinds = DeviceKindSet::None();
      spec.device_kinds.Insert(DeviceKind::kGpu);
    }
    builder.AddOp(spec);
  }
  return builder.Build();
}

// gpu0, gpu1, cpu0.
HardwareProfile Machine() {
  HardwareProfile machine;
  machine.name = "box";
  machine.devices.resize(3);
  machine.devices[0].name = "gpu0";
  machine.devices[1].name = "gpu1";
  machine.devices[2].name = "cpu0";
  machine.devices[2].kind = DeviceKind::kCpu;
  return machine;
}

Plan Placed(std::int32_t a, std::int32_t b, std::int32_t c) {
  Plan plan;
  plan.placement = {DeviceId(a), DeviceId(b), DeviceId(c)};
  return plan;
}

std::string Problems(const Plan& plan) {
  return FindPlanErrors(*ThreeOps(), Machine(), plan, "p#").Text();
}

TEST(FindPlanErrorsTest, AcceptsAPlanThatFits) {
  Plan plan = Placed(2, 1, 1);
  plan.op_priority = {-(std::int64_t{1} << 53), 0, std::int64_t{1} << 53};
  plan.fusion_priority = {0, 1, 1'000'000};
  plan.transfer_priority = {{TensorId(0), DeviceId(1), 5}, {TensorId(0), DeviceId(2), 5}};
  EXPECT_EQ(Problems(plan), "");
}

TEST(FindPlanErrorsTest, NeedsOneDevicePerOp) {
  Plan plan = Placed(0, 0, 0);
  plan.placement.pop_back();
  EXPECT_EQ(Problems(plan),
            "p#/placement: found 2 entries, expected one per op of graph \"three\" (3)");
  plan.placement.assign(4, DeviceId(0));
  EXPECT_THAT(Problems(plan), HasSubstr("found 4 entries"));
}

TEST(FindPlanErrorsTest, NeedsDevicesThatExist) {
  EXPECT_EQ(Problems(Placed(3, 0, 0)),
            "p#/placement/0: device 3 does not exist; this machine has gpu0, gpu1, cpu0");
  EXPECT_THAT(Problems(Placed(-1, 0, 0)), HasSubstr("p#/placement/0: device -1 does not exist"));
}

TEST(FindPlanErrorsTest, NeedsAnAllowedKind) {
  EXPECT_THAT(
      Problems(Placed(0, 2, 2)),
      HasSubstr("p#/placement/1: found \"cpu0\", a cpu; expected a device of a kind that op "
                "\"b\" allows: gpu"));
}

TEST(FindPlanErrorsTest, KeepsColocatedOpsTogether) {
  EXPECT_EQ(
      Problems(Placed(0, 0, 1)),
      "p#/placement/2: found \"gpu1\", expected \"gpu0\" as for op \"b\": both are co-located "
      "as \"g\"");
}

TEST(FindPlanErrorsTest, APlanOfAnotherLengthSplitsNoLabels) {
  Plan plan = Placed(0, 0, 1);
  plan.placement.push_back(DeviceId(0));
  EXPECT_EQ(Problems(plan),
            "p#/placement: found 4 entries, expected one per op of graph \"three\" (3)");
}

TEST(FindPlanErrorsTest, BoundsOpPriorities) {
  Plan plan = Placed(0, 0, 0);
  plan.op_priority = {0, (std::int64_t{1} << 53) + 1, 0};
  EXPECT_EQ(Problems(plan),
            "p#/op_priority/1: found 9007199254740993, expected an integer from -9007199254740992 "
            "to 9007199254740992");
  plan.op_priority = {0};
  EXPECT_THAT(Problems(plan), HasSubstr("p#/op_priority: found 1 entries"));
}

TEST(FindPlanErrorsTest, BoundsFusionPriorities) {
  Plan plan = Placed(0, 0, 0);
  plan.fusion_priority = {0, -1, 1'000'001};
  EXPECT_THAT(Problems(plan),
              HasSubstr("p#/fusion_priority/1: found -1, expected an integer from 0"));
  EXPECT_THAT(Problems(plan), HasSubstr("p#/fusion_priority/2: found 1000001"));
}

TEST(FindPlanErrorsTest, ChecksTransferPriorities) {
  Plan plan = Placed(0, 0, 0);
  plan.transfer_priority = {
      {TensorId(3), DeviceId(1), 0}, {TensorId(0), DeviceId(7), 0}, {TensorId(0), DeviceId(7), 1}};
  const std::string text = Problems(plan);
  EXPECT_THAT(text, HasSubstr("p#/transfer_priority/0: tensor 3 does not exist; this graph has 3"));
  EXPECT_THAT(text, HasSubstr("p#/transfer_priority/1: device 7 does not exist"));
  EXPECT_THAT(text,
              HasSubstr("p#/transfer_priority/2: found the tensor and device of "
                        "/transfer_priority/1 again, expected each pair once"));
}

TEST(ValidatePlanTest, ThrowsAPlanErrorWithAllProblems) {
  Plan plan = Placed(9, 0, 1);
  try {
    ValidatePlan(*ThreeOps(), Machine(), plan);
    FAIL() << "accepted";
  } catch (const PlanError& error) {
    EXPECT_THAT(error.what(), HasSubstr("plan#/placement/0: device 9"));
    EXPECT_THAT(error.what(), HasSubstr("plan#/placement/2: found \"gpu1\""));
  }
}

}  // namespace
}  // namespace opyard::sim
