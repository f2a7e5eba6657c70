#include "experiments/graphs/measured_text.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

sim::OpSpec MeasuredOn(const std::string& name, const std::vector<std::string>& places) {
  sim::OpSpec op{.name = name, .type = "MatMul", .outputs = {{.bytes = Bytes{4}}}};
  for (const std::string& where : places) {
    op.seconds.push_back({.where = where, .seconds = 2e-6});
  }
  return op;
}

// On d0 and d1.
std::string WarningFor(std::vector<sim::OpSpec> ops, double launch_overhead_s = 0.0) {
  sim::HardwareProfile machine = testing::MeshMachine(2);
  for (sim::Device& device : machine.devices) {
    device.memory_bandwidth_bytes_per_s = 1e9;
    device.peak_flops_per_s = {{sim::DType::kF32, 1e12}};
    device.launch_overhead_s = launch_overhead_s;
  }
  const env::Problem problem(
      {.graph = testing::MakeGraph(std::move(ops)),
       .hardware = std::make_shared<const sim::HardwareProfile>(std::move(machine))});
  return MeasuredWarning("g", problem);
}

TEST(MeasuredWarningTest, ThereIsNoneWhereAllOrNothingIsMeasured) {
  EXPECT_EQ(WarningFor({MeasuredOn("a", {"*"}), MeasuredOn("b", {"d0", "gpu"})}), "");
  EXPECT_EQ(WarningFor({MeasuredOn("a", {}), MeasuredOn("b", {})}), "");
  // Nor where times are those of devices that the machine has not.
  EXPECT_EQ(WarningFor({MeasuredOn("a", {"cpu"}), MeasuredOn("b", {})}), "");
}

TEST(MeasuredWarningTest, OpsThatTakeNoTimeNeedNone) {
  EXPECT_EQ(WarningFor({MeasuredOn("a", {"*"}), {.name = "x", .type = "Placeholder"}}), "");
}

TEST(MeasuredWarningTest, CountsTheOpsThatAreLeftToTheModel) {
  const std::string warning =
      WarningFor({MeasuredOn("a", {"*"}), MeasuredOn("b", {"d1"}), MeasuredOn("c", {})});
  EXPECT_THAT(warning, HasSubstr("2 ops are left to the cost model: b, c\n"));
  EXPECT_THAT(warning, Not(HasSubstr("devices without")));
}

TEST(MeasuredWarningTest, NamesTheDevicesWithoutMeasurements) {
  const std::string warning = WarningFor({MeasuredOn("a", {"d1"}), MeasuredOn("b", {"d1"})});
  EXPECT_THAT(warning, HasSubstr("devices without measurements that plans may choose: d0\n"));
  EXPECT_THAT(warning, Not(HasSubstr("left to")));
}

// Each takes 2 us, and is said to hold a launch.
TEST(MeasuredWarningTest, TimesShorterThanTheLaunchThatTheyHoldAreCounted) {
  const std::vector<sim::OpSpec> ops = {MeasuredOn("a", {"*"}), MeasuredOn("b", {"*"})};
  EXPECT_THAT(WarningFor(ops, 3e-6), HasSubstr("g on test: 2 ops take less than the launch on d0"));
  EXPECT_EQ(WarningFor(ops, 2e-6), "");
  // An op of no time, as `opyard measure` writes what is there before the step, was not launched.
  sim::OpSpec there = MeasuredOn("c", {});
  there.seconds = {{"*", 0}};
  EXPECT_THAT(WarningFor({ops[0], there}, 3e-6), HasSubstr("1 op takes less than the launch on"));
  EXPECT_EQ(WarningFor({there}, 3e-6), "");
}

}  // namespace
}  // namespace opyard::experiments
