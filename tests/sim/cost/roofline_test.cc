#include "sim/cost/roofline.h"

#include <gtest/gtest.h>

#include "sim/cost/shape_work.h"
#include "sim/cost/soft_maximum.h"
#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using opyard::testing::CostOf;
using opyard::testing::RoundDevice;
using opyard::testing::SpecOf;

constexpr std::size_t kElementwise = static_cast<std::size_t>(FusionClass::kElementwise);
constexpr std::size_t kHeavy = static_cast<std::size_t>(FusionClass::kHeavy);

// A device whose efficiencies saturate, for properties.
Device SaturatingDevice() {
  Device device = RoundDevice();
  device.cost.softmax_q = 3.0;
  device.cost.gemm[DType::kF32].efficiency = {.e_max = 0.9, .h_m = 100, .h_n = 50, .h_k = 200};
  return device;
}

double GemmSeconds(std::int64_t m, std::int64_t n, std::int64_t k, const Device& device) {
  return CostOf(SpecOf(GemmShape{.m = m, .n = n, .k = k}, 1000), device).total_s;
}

TEST(RooflineTest, ZeroWorkTakesTheLaunch) {
  EXPECT_EQ(CostOf(SpecOf("Relu", 0, 0), RoundDevice()).total_s, 2e-6);
}

TEST(RooflineTest, ElementwiseOpsTakeLaunchAndTheirBytes) {
  // 2 us + 3 MB / 100 GB/s = 2 us + 30 us
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 0, 3'000'000), RoundDevice()).total_s, 32e-6);
}

TEST(RooflineTest, TheTermsAreKeptApart) {
  const OpCost cost = CostOf(SpecOf("Relu", 5e6, 3'000'000), RoundDevice());
  EXPECT_DOUBLE_EQ(cost.launch_s, 2e-6);
  EXPECT_DOUBLE_EQ(cost.flop_s, 5e-6);   // 5 MFLOP / 1 TFLOP/s
  EXPECT_DOUBLE_EQ(cost.byte_s, 30e-6);  // 3 MB / 100 GB/s
  EXPECT_FALSE(cost.is_measured);
}

TEST(RooflineTest, TheSoftMaximumJoinsTheTerms) {
  Device device = RoundDevice();
  device.cost.softmax_q = 2.0;
  // 2 us + √(30² + 40²) us
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 40e6, 3'000'000), device).total_s, 52e-6);
}

TEST(RooflineTest, ALargeExponentIsTheHardRoofline) {
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 40e6, 3'000'000), RoundDevice()).total_s, 42e-6);
}

TEST(RooflineTest, ClassEfficienciesSlowBothTerms) {
  Device device = RoundDevice();
  device.cost.classes[kElementwise] = {.efficiency = 0.5, .memory_efficiency = 0.25};
  const OpCost cost = CostOf(SpecOf("Relu", 40e6, 3'000'000), device);
  EXPECT_DOUBLE_EQ(cost.flop_s, 80e-6);
  EXPECT_DOUBLE_EQ(cost.byte_s, 120e-6);
}

TEST(RooflineTest, TheDevicesMemoryEfficiencyHoldsWhereTheClassSaysNothing) {
  Device device = RoundDevice();
  device.cost.memory_efficiency = 0.5;
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 0, 3'000'000), device).byte_s, 60e-6);
}

TEST(RooflineTest, SmallFootprintsRunFromTheCacheTier) {
  Device device = RoundDevice();
  device.cost.l2 = CacheTier{.size = Bytes{1'000'000}, .bandwidth_bytes_per_s = 500e9};
  // The tier serves 1 / (1 + (bytes / size)^4): half of 1 MB, 10 us / 2 + 2 us / 2;
  // of 2 MB a 17th, 20 us · 16/17 + 4 us / 17; of 0.5 MB 16/17, 5 us / 17 + 1 us · 16/17.
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 0, 1'000'000), device).byte_s, 6e-6);
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 0, 2'000'000), device).byte_s, 324e-6 / 17);
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 0, 500'000), device).byte_s, 21e-6 / 17);
}

TEST(RooflineTest, HeavyOpsDoNotUseTheCacheTier) {
  Device device = RoundDevice();
  device.cost.l2 = CacheTier{.size = Bytes{1'000'000}, .bandwidth_bytes_per_s = 500e9};
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("MatMul", 0, 1'000'000), device).byte_s, 10e-6);
}

TEST(RooflineTest, ACacheTierBelowTheMemoryRateIsIgnored) {
  Device device = RoundDevice();
  device.cost.l2 = CacheTier{.size = Bytes{1'000'000}, .bandwidth_bytes_per_s = 50e9};
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 0, 1'000'000), device).byte_s, 10e-6);
}

TEST(RooflineTest, AMatrixProductCountsTwoFlopsPerMultiplyAdd) {
  Device device = RoundDevice();
  device.cost.gemm[DType::kF32] = {};
  // 2 · 100 · 200 · 500 · 3 = 60 MFLOP at 1 TFLOP/s
  const GemmShape shape = {.m = 100, .n = 200, .k = 500, .batch = 3};
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(shape), device).flop_s, 60e-6);
}

TEST(RooflineTest, TheShapeGoesBeforeTheFlopsOfTheOp) {
  OpSpec spec = SpecOf(GemmShape{.m = 100, .n = 100, .k = 500});
  spec.flops = Flops{1e12};
  EXPECT_DOUBLE_EQ(CostOf(spec, RoundDevice()).flop_s, 10e-6);  // 2 · 100 · 100 · 500
}

TEST(RooflineTest, SaturationSlowsSmallProducts) {
  Device device = RoundDevice();
  device.cost.gemm[DType::kF32].efficiency = {.e_max = 0.5, .h_m = 300, .h_n = 100, .h_k = 500};
  // M = 300 (the larger), N = 100, K = 500: each factor is 1/2, with e_max 1/16 in all;
  // 2 · 300 · 100 · 500 = 30 MFLOP · 16 at 1 TFLOP/s = 480 us
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(GemmShape{.m = 100, .n = 300, .k = 500}), device).flop_s, 480e-6);
}

TEST(RooflineTest, ProductsAreSymmetricInMAndN) {
  const Device device = SaturatingDevice();
  EXPECT_EQ(GemmSeconds(64, 1000, 300, device), GemmSeconds(1000, 64, 300, device));
}

TEST(RooflineTest, ProductsAreMonotoneInEachDimension) {
  const Device device = SaturatingDevice();
  for (const std::int64_t size : {1, 2, 31, 64, 65, 500, 4096}) {
    EXPECT_LT(GemmSeconds(size, 64, 300, device), GemmSeconds(size + 1, 64, 300, device));
    EXPECT_LT(GemmSeconds(64, size, 300, device), GemmSeconds(64, size + 1, 300, device));
    EXPECT_LT(GemmSeconds(64, 300, size, device), GemmSeconds(64, 300, size + 1, device));
  }
}

TEST(RooflineTest, TimeIsMonotoneInFlopsAndBytes) {
  Device device = SaturatingDevice();
  device.cost.l2 = CacheTier{.size = Bytes{1000}, .bandwidth_bytes_per_s = 900e9};
  double last = 0.0;
  for (const std::int64_t bytes : {0, 10, 999, 1000, 1001, 2000, 1'000'000}) {
    const double seconds = CostOf(SpecOf("Relu", 1e3, bytes), device).total_s;
    EXPECT_GT(seconds, last) << bytes;
    last = seconds;
  }
  last = 0.0;
  for (const double flops : {0.0, 1e6, 2e6, 1e9}) {
    const double seconds = CostOf(SpecOf("Relu", flops, 1'000'000), device).total_s;
    EXPECT_GT(seconds, last);
    last = seconds;
  }
}

TEST(RooflineTest, TimeIsAtLeastLaunchAndEachTerm) {
  const OpCost cost =
      CostOf(SpecOf(GemmShape{.m = 70, .n = 90, .k = 30}, 500'000), SaturatingDevice());
  EXPECT_GE(cost.total_s, cost.launch_s + cost.flop_s);
  EXPECT_GE(cost.total_s, cost.launch_s + cost.byte_s);
}

TEST(RooflineTest, ProductsWithoutABlockRunAtTheEfficiencyOfHeavyOps) {
  Device device = RoundDevice();
  device.cost.classes[kHeavy].efficiency = 0.25;
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(GemmShape{.m = 100, .n = 100, .k = 500}), device).flop_s, 40e-6);
}

TEST(RooflineTest, TypesWithoutABlockOrPeakBorrowThoseOfF32) {
  Device device = SaturatingDevice();
  OpSpec half = SpecOf(GemmShape{.m = 100, .n = 100, .k = 500});
  const double single_s = CostOf(half, device).flop_s;
  half.dtype = DType::kF16;
  EXPECT_EQ(CostOf(half, device).flop_s, single_s);
  device.peak_flops_per_s[DType::kF16] = 4e12;
  EXPECT_DOUBLE_EQ(CostOf(half, device).flop_s, single_s / 4);
}

TEST(RooflineTest, PackedAndComplexTypesBorrowFromTheNextWiderType) {
  Device device = RoundDevice();
  device.peak_flops_per_s = {{DType::kF32, 1e12}, {DType::kI8, 4e12}, {DType::kF64, 5e11}};
  OpSpec op = SpecOf("Relu", 4e6, 0);
  op.dtype = DType::kI2;  // i4 has none either: 4e6 / 4e12
  EXPECT_DOUBLE_EQ(CostOf(op, device).flop_s, 1e-6);
  op.dtype = DType::kC128;  // 4e6 / 5e11
  EXPECT_DOUBLE_EQ(CostOf(op, device).flop_s, 8e-6);
  op.dtype = DType::kF4;  // f8 has none: 4e6 / 1e12
  EXPECT_DOUBLE_EQ(CostOf(op, device).flop_s, 4e-6);
  device.peak_flops_per_s[DType::kI4] = 8e12;
  op.dtype = DType::kI2;  // 4e6 / 8e12
  EXPECT_DOUBLE_EQ(CostOf(op, device).flop_s, 0.5e-6);
}

TEST(RooflineTest, WithoutAPeakForF32TheGreatestCounts) {
  Device device = RoundDevice();
  device.peak_flops_per_s = {{DType::kF16, 1e12}, {DType::kBf16, 2e12}};
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 4e6, 0), device).flop_s, 2e-6);
}

TEST(RooflineTest, TheSustainedFractionLowersThePeakOfItsType) {
  Device device = RoundDevice();
  device.cost.sustained_fraction[DType::kF32] = 0.5;
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 4e6, 0), device).flop_s, 8e-6);
  device.cost.sustained_fraction.clear();
  device.cost.default_sustained_fraction = 0.8;
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Relu", 4e6, 0), device).flop_s, 5e-6);
}

// 8 images of 16 × 10 × 10, 32 filters of 3 × 3, padded: outputs of 10 × 10.
ConvShape SmallConv(ConvPass pass) {
  return {.pass = pass,
          .n = 8,
          .c = 16,
          .h = 10,
          .w = 10,
          .k = 32,
          .r = 3,
          .s = 3,
          .pad_h = 1,
          .pad_w = 1};
}

TEST(RooflineTest, AllPassesOfAConvolutionDoTheFlopsOfTheForwardPass) {
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kBackwardData, ConvPass::kBackwardWeight}) {
    // 2 · 8 · 10 · 10 · 32 · 16 · 3 · 3 = 7,372,800 FLOP at 1 TFLOP/s
    EXPECT_DOUBLE_EQ(CostOf(SpecOf(SmallConv(pass)), RoundDevice()).flop_s, 7.3728e-6);
  }
}

TEST(RooflineTest, StrideAndGroupsLowerTheFlopsOfAConvolution) {
  ConvShape shape = SmallConv(ConvPass::kForward);
  shape.stride_h = 2;  // ⌊(10 + 2 − 3) / 2⌋ + 1 = 5 rows instead of 10
  shape.groups = 4;    // 4 channels per filter instead of 16
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(shape), RoundDevice()).flop_s, 7.3728e-6 / 8);
}

TEST(RooflineTest, EachPassHasItsOwnImplicitProduct) {
  const ConvParameters block = {.gemm = {.e_max = 1.0, .h_m = 0, .h_n = 0, .h_k = 1}};
  // K: forward 16 · 9 = 144, backward-data 32 · 9 = 288, backward-weight 8 · 10 · 10 = 800
  EXPECT_DOUBLE_EQ(WorkOf(SmallConv(ConvPass::kForward), block).efficiency, 144.0 / 145);
  EXPECT_DOUBLE_EQ(WorkOf(SmallConv(ConvPass::kBackwardData), block).efficiency, 288.0 / 289);
  EXPECT_DOUBLE_EQ(WorkOf(SmallConv(ConvPass::kBackwardWeight), block).efficiency, 800.0 / 801);
}

TEST(RooflineTest, WinogradHelpsThreeByThreeFiltersOfStrideOneOnly) {
  const ConvParameters block = {.winograd_gain = 1.0};
  ConvShape shape = SmallConv(ConvPass::kForward);
  EXPECT_DOUBLE_EQ(WorkOf(shape, block).flops, 7'372'800.0 / 2);
  shape.stride_w = 2;  // 5 columns instead of 10, no gain
  EXPECT_DOUBLE_EQ(WorkOf(shape, block).flops, 7'372'800.0 / 2);
  shape.stride_w = 1;
  shape.s = 1;  // a third of the taps, 12 columns instead of 10, no gain
  EXPECT_DOUBLE_EQ(WorkOf(shape, block).flops, 7'372'800.0 / 3 * 1.2);
}

TEST(RooflineTest, ARecurrentLayerPaysItsOverheadPerStep) {
  Device device = RoundDevice();
  device.cost.rnn_step_overhead_s = 5e-6;
  OpSpec spec = SpecOf(RnnShape{.hidden = 100, .batch = 10, .timesteps = 3}, 0);
  spec.type = "LSTM";
  // A step: 2 · 400 · 10 · 200 = 1.6 MFLOP, 1.6 us; weights 4 · 2 · 100² · 4 B = 320 kB, 3.2 us.
  // The layer: 2 us + 3 · (5 us + max(1.6, 3.2) us) = 26.6 us.
  const OpCost cost = CostOf(spec, device);
  EXPECT_DOUBLE_EQ(cost.flop_s, 4.8e-6);
  EXPECT_DOUBLE_EQ(cost.byte_s, 9.6e-6);
  EXPECT_DOUBLE_EQ(cost.total_s, 26.6e-6);
}

TEST(RooflineTest, TheFlopsAndWeightsOfARecurrentOpGoBeforeItsShape) {
  OpSpec spec = SpecOf(RnnShape{.hidden = 100, .batch = 10, .timesteps = 4}, 0);
  spec.flops = Flops{8e6};
  spec.weight_bytes = Bytes{50'000};
  const OpCost cost = CostOf(spec, RoundDevice());
  EXPECT_DOUBLE_EQ(cost.flop_s, 8e-6);
  EXPECT_DOUBLE_EQ(cost.byte_s, 2e-6);  // 4 · 50 kB at 100 GB/s
}

TEST(RooflineTest, GatesFollowTheTypeOfTheCell) {
  EXPECT_EQ(NumGates("LSTM"), 4);
  EXPECT_EQ(NumGates("rnn_lstm"), 4);
  EXPECT_EQ(NumGates("GRUGrad"), 3);
  EXPECT_EQ(NumGates("RNN"), 1);
}

TEST(RooflineTest, MeasuredSecondsReplaceTheModel) {
  OpSpec spec = SpecOf("Relu", 1e9, 1'000'000);
  spec.seconds = {{.where = "*", .seconds = 3e-6}};
  const OpCost cost = CostOf(spec, RoundDevice());
  EXPECT_TRUE(cost.is_measured);
  EXPECT_EQ(cost.total_s, 3e-6);
  EXPECT_EQ(cost.launch_s + cost.flop_s + cost.byte_s, 0.0);
}

OpCost MeasuredKernelCost(OpSpec spec) {
  OpGraphBuilder builder("one");
  builder.SetMeasured(Measured::kKernel);
  builder.AddOp(std::move(spec));
  return RooflineModel().Cost(*builder.Build(), OpId(0), RoundDevice());
}

TEST(RooflineTest, TheDevicesLaunchIsAddedToAMeasuredKernel) {
  OpSpec spec = SpecOf("Relu", 1e9, 1'000'000);
  spec.seconds = {{.where = "*", .seconds = 3e-6}};
  const OpCost cost = MeasuredKernelCost(spec);
  EXPECT_DOUBLE_EQ(cost.total_s, 5e-6);
  EXPECT_DOUBLE_EQ(cost.launch_s, 2e-6);
  EXPECT_EQ(cost.flop_s + cost.byte_s, 0.0);
}

TEST(RooflineTest, AViewMeasuredToTakeNoTimeIsNoKernel) {
  OpSpec spec = SpecOf("GetItem", 0, 0);
  spec.seconds = {{.where = "*", .seconds = 0.0}};
  EXPECT_EQ(MeasuredKernelCost(spec).total_s, 0.0);
  spec.seconds[0].seconds = 3e-6;
  EXPECT_DOUBLE_EQ(MeasuredKernelCost(spec).total_s, 5e-6);
}

TEST(RooflineTest, AbsurdWorkStaysFinite) {
  Device device = RoundDevice();
  device.cost.classes[kElementwise].efficiency = 1e-6;
  device.peak_flops_per_s[DType::kF32] = 1e-3;
  EXPECT_TRUE(std::isfinite(CostOf(SpecOf("Relu", 1e308, 0), device).total_s));
}

}  // namespace
}  // namespace opyard::sim
