#include "sim/hardware/device.h"

#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

TEST(DeviceTest, DefaultsDifferBetweenCpusAndAccelerators) {
  EXPECT_EQ(DefaultCostParameters(DeviceKind::kGpu).default_sustained_fraction, 0.9);
  EXPECT_EQ(DefaultCostParameters(DeviceKind::kCpu).default_sustained_fraction, 0.8);
  EXPECT_EQ(DefaultCostParameters(DeviceKind::kTpu), DefaultCostParameters(DeviceKind::kGpu));
}

TEST(DeviceTest, EveryFusionClassHasADefaultEfficiency) {
  for (const ClassEfficiency& block : DefaultCostParameters(DeviceKind::kGpu).classes) {
    ASSERT_TRUE(block.efficiency.has_value());
    EXPECT_GT(*block.efficiency, 0.0);
    EXPECT_LE(*block.efficiency, 1.0);
  }
}

TEST(DeviceTest, DevicesThatDifferInNameTypeAndMemoryCostAlike) {
  const Device a = {.name = "gpu0", .type = "x", .memory = Bytes{1}};
  const Device b = {.name = "gpu1", .type = "y", .memory = Bytes{2}};
  EXPECT_TRUE(CostAlike(a, b));
}

TEST(DeviceTest, AnyCostParameterDistinguishesDevices) {
  const Device a = {.peak_flops_per_s = {{DType::kF32, 1e12}}};
  Device b = a;
  b.cost.classes[0].memory_efficiency = 0.5;
  EXPECT_FALSE(CostAlike(a, b));
  b = a;
  b.peak_flops_per_s[DType::kF32] = 2e12;
  EXPECT_FALSE(CostAlike(a, b));
  b = a;
  b.launch_overhead_s = 1e-6;
  EXPECT_FALSE(CostAlike(a, b));
}

}  // namespace
}  // namespace opyard::sim
