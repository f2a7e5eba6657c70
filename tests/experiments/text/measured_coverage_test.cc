// The extent to which the times of a graph are measured on a machine.
#include "experiments/text/measured_coverage.h"

#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

sim::OpSpec Measured(const std::string& name, const std::string& where) {
  return {.name = name, .type = "MatMul", .seconds = {{.where = where, .seconds = 1.0}}};
}

sim::HardwareProfile TwoKinds() {
  sim::HardwareProfile hardware = testing::MeshMachine(2);
  hardware.devices[0].name = "gpu0";
  hardware.devices[0].kind = sim::DeviceKind::kGpu;
  hardware.devices[1].kind = sim::DeviceKind::kCpu;
  return hardware;
}

TEST(MeasuredCoverageTest, CountsOpsThatTakeTimeAndDevicesWithoutMeasurements) {
  // A Variable takes no time.
  const auto graph = testing::MakeGraph({testing::VariableOp("w", 4),
                                         Measured("a", "gpu"),
                                         {.name = "b", .type = "MatMul"},
                                         Measured("c", "gpu0")});
  const MeasuredCoverage coverage = MeasuredCoverageOf(*graph, TwoKinds());
  EXPECT_EQ(coverage.num_ops, 3);
  EXPECT_EQ(coverage.num_measured, 2);
  EXPECT_EQ(coverage.num_devices_without, 1);
  EXPECT_EQ(MixedTimesText(coverage),
            "mixes measured and modelled times: 2 of 3 ops measured, none on 1 of the devices");
}

TEST(MeasuredCoverageTest, AllOrNothingIsNoMixture) {
  const auto all = testing::MakeGraph({Measured("a", "*"), Measured("b", "*")});
  EXPECT_EQ(MixedTimesText(MeasuredCoverageOf(*all, TwoKinds())), "");
  const auto none = testing::MakeGraph({{.name = "a", .type = "MatMul"}});
  EXPECT_EQ(MixedTimesText(MeasuredCoverageOf(*none, TwoKinds())), "");
}

}  // namespace
}  // namespace opyard::experiments
