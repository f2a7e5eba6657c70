// On the device of 1 TFLOP/s, 100 GB/s and launches of 2 us, made worse than its data sheet.
#include "sim/cost/peak_roofline.h"

#include <gtest/gtest.h>

#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using ::opyard::testing::CostOf;
using ::opyard::testing::GraphOf;
using ::opyard::testing::RoundDevice;
using ::opyard::testing::SpecOf;

// Every parameter of the cost model slows something down, or, as the cache does, speeds it up.
Device RealDevice() {
  Device device = RoundDevice();
  device.cost.default_sustained_fraction = 0.5;
  device.cost.softmax_q = 2.0;
  device.cost.memory_efficiency = 0.8;
  device.cost.l2 = CacheTier{.size = Bytes{1'000'000}, .bandwidth_bytes_per_s = 1e12};
  device.cost.gemm[DType::kF32].efficiency = {.e_max = 0.9, .h_m = 100, .h_n = 50, .h_k = 200};
  device.cost.rnn_step_overhead_s = 8e-6;
  device.cost.classes.fill({.efficiency = 0.25, .memory_efficiency = 0.5});
  return device;
}

OpCost PeakCost(OpSpec spec) {
  return PeakRooflineModel().Cost(*GraphOf(std::move(spec)), OpId(0), RealDevice());
}

TEST(PeakRooflineTest, TheSlowerOfComputeAndMemoryFollowsTheLaunch) {
  // max(40 MFLOP / 1 TFLOP/s, 3 MB / 100 GB/s) = max(40 us, 30 us); 2 us + 40 us
  EXPECT_DOUBLE_EQ(PeakCost(SpecOf("Relu", 40e6, 3'000'000)).total_s, 42e-6);
  // max(20 us, 30 us); 2 us + 30 us
  EXPECT_DOUBLE_EQ(PeakCost(SpecOf("Relu", 20e6, 3'000'000)).total_s, 32e-6);
}

TEST(PeakRooflineTest, SmallFootprintsPayTheMemoryToo) {
  // 500 kB fit the cache: 500 kB / 100 GB/s = 5 us all the same; 2 us + 5 us
  EXPECT_DOUBLE_EQ(PeakCost(SpecOf("Relu", 0, 500'000)).total_s, 7e-6);
}

TEST(PeakRooflineTest, ShapesOfMatrixProductsDoNotMatter) {
  // 2 · 100 · 50 · 200 FLOPs / 1 TFLOP/s = 2 us; 2 us + 2 us
  const GemmShape wide{.m = 100, .n = 50, .k = 200};
  const GemmShape thin{.m = 10'000, .n = 5, .k = 20};
  EXPECT_DOUBLE_EQ(PeakCost(SpecOf(wide)).total_s, 4e-6);
  EXPECT_DOUBLE_EQ(PeakCost(SpecOf(thin)).total_s, 4e-6);
}

TEST(PeakRooflineTest, MeasuredTimesWin) {
  OpSpec spec = SpecOf("Relu", 40e6, 3'000'000);
  spec.seconds.push_back({.where = "*", .seconds = 5e-6});
  const OpCost cost = PeakCost(spec);
  EXPECT_TRUE(cost.is_measured);
  EXPECT_EQ(cost.total_s, 5e-6);
}

TEST(PeakRooflineTest, IsTheRooflineOfADeviceThatReachesItsPeaks) {
  const OpSpec spec = SpecOf("Relu", 40e6, 3'000'000);
  EXPECT_EQ(PeakCost(spec).total_s, CostOf(spec, RoundDevice()).total_s);
  EXPECT_LT(PeakCost(spec).total_s, CostOf(spec, RealDevice()).total_s);
}

}  // namespace
}  // namespace opyard::sim
