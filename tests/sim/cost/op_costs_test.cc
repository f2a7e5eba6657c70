#include "sim/cost/op_costs.h"

#include <gtest/gtest.h>

#include "sim/cost/shape_work.h"
#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using opyard::testing::CostOf;
using opyard::testing::RoundDevice;
using opyard::testing::SpecOf;

constexpr AttentionShape kAttention = {
    .batch = 2, .heads = 4, .queries = 100, .keys = 200, .width = 64};

TEST(OpCostsTest, WeightsComeFromTheMemoryAndActivationsFromTheCache) {
  Device device = RoundDevice();
  device.cost.l2 = CacheTier{.size = Bytes{1'000'000}, .bandwidth_bytes_per_s = 500e9};
  OpSpec spec = SpecOf(GemmShape{.m = 1, .n = 1, .k = 1}, 3'000'000);
  spec.weight_bytes = Bytes{2'000'000};
  // 2 MB at 100 GB/s; of 1 MB, the tier's size, half at 100 GB/s and half at 500 GB/s
  EXPECT_DOUBLE_EQ(CostOf(spec, device).byte_s, 20e-6 + 5e-6 + 1e-6);
  device.cost.gemm[DType::kF32].kernel.l2_bandwidth_bytes_per_s = 1e12;
  EXPECT_DOUBLE_EQ(CostOf(spec, device).byte_s, 20e-6 + 5e-6 + 0.5e-6);
}

TEST(OpCostsTest, KernelsOfABlockHaveTermsOfTheirOwn) {
  Device device = RoundDevice();
  device.cost.gemm[DType::kF32].kernel = {
      .overhead_s = 3e-6, .softmax_q = 2.0, .memory_efficiency = 0.5};
  // 30 us of FLOPs, 20 us · 2 = 40 us of bytes; launch 2 us + 3 us; √(30² + 40²) = 50 us
  const OpCost cost = CostOf(SpecOf(GemmShape{.m = 100, .n = 100, .k = 1500}, 2'000'000), device);
  EXPECT_DOUBLE_EQ(cost.launch_s, 5e-6);
  EXPECT_DOUBLE_EQ(cost.byte_s, 40e-6);
  EXPECT_DOUBLE_EQ(cost.total_s, 55e-6);
}

TEST(OpCostsTest, QuantisingTheLeftOperandAddsItsTime) {
  Device device = RoundDevice();
  device.cost.gemm[DType::kF32].quantize_bytes_per_s = 1e9;
  // 10 · 500 · 4 B = 20 kB at 1 GB/s = 20 us beside the launch of 2 us
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(GemmShape{.m = 10, .n = 7, .k = 500}), device).launch_s, 22e-6);
}

TEST(OpCostsTest, StridesAboveOneLoseTime) {
  const ConvParameters block = {.winograd_gain = 1.0, .stride_loss = 0.5};
  ConvShape shape = {.n = 1, .c = 1, .h = 9, .w = 9, .k = 1, .r = 3, .s = 3};
  shape.stride_w = 2;
  EXPECT_DOUBLE_EQ(WorkOf(shape, block).flops, 1.5 * FlopsOf(shape));
  shape.stride_w = 1;
  EXPECT_DOUBLE_EQ(WorkOf(shape, block).flops, 0.5 * FlopsOf(shape));
}

TEST(OpCostsTest, AttentionHasTwoProductsAndASoftmax) {
  // 2 · 4 · 100 · 200 = 160,000 scores of 2 · 64 + 2 · 64 + 5 FLOP
  EXPECT_DOUBLE_EQ(FlopsOf(kAttention), 160'000.0 * 261);
  AttentionShape backward = kAttention;
  backward.pass = AttentionPass::kBackward;  // 6 · 64 + 4 · 64 + 4
  EXPECT_DOUBLE_EQ(FlopsOf(backward), 160'000.0 * 644);
  AttentionShape causal = kAttention;
  causal.causal = true;
  EXPECT_DOUBLE_EQ(FlopsOf(causal), 80'000.0 * 261);
  AttentionShape narrow = kAttention;
  narrow.value_width = 32;
  EXPECT_DOUBLE_EQ(FlopsOf(narrow), 160'000.0 * 197);
}

TEST(OpCostsTest, PlainAttentionMovesItsScores) {
  AttentionShape plain = kAttention;
  plain.flash = false;
  // 160,000 scores of 4 B, written and read twice, beside 1 MB: 3.56 MB at 100 GB/s
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(kAttention, 1'000'000), RoundDevice()).byte_s, 10e-6);
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(plain, 1'000'000), RoundDevice()).byte_s, 35.6e-6);
}

TEST(OpCostsTest, AttentionRunsAtTheEfficiencyOfItsBlock) {
  Device device = RoundDevice();
  device.cost.attention[DType::kF32][0].efficiency = {.e_max = 0.5, .h_n = 100};
  // h_n of the smaller of 100 queries and 200 keys: 0.5 · 1/2; 41.76 MFLOP · 4 at 1 TFLOP/s
  EXPECT_DOUBLE_EQ(CostOf(SpecOf(kAttention), device).flop_s, 167.04e-6);
}

TEST(OpCostsTest, PassesOfRecurrentLayersHaveBlocksOfTheirOwn) {
  Device device = RoundDevice();
  auto& passes = device.cost.rnn[DType::kF32];
  passes[static_cast<std::size_t>(RnnPass::kBackwardData)] = {.step_overhead_s = 7e-6,
                                                              .weight_bandwidth_bytes_per_s = 1e12};
  OpSpec spec =
      SpecOf(RnnShape{.pass = RnnPass::kBackwardData, .hidden = 10, .batch = 1, .timesteps = 4});
  spec.flops = Flops{8e6};
  spec.weight_bytes = Bytes{5'000'000};
  const OpCost cost = CostOf(spec, device);
  EXPECT_DOUBLE_EQ(cost.launch_s, 2e-6 + 4 * 7e-6);
  EXPECT_DOUBLE_EQ(cost.flop_s, 8e-6);
  EXPECT_DOUBLE_EQ(cost.byte_s, 20e-6);  // 4 · 5 MB at 1 TB/s
}

TEST(OpCostsTest, TypesMoveMoreOrLessThanTheirBytes) {
  Device device = RoundDevice();
  device.cost.types["Relu"] = {.traffic = 1.5, .overhead_s = 1e-6};
  const OpCost cost = CostOf(SpecOf("Relu", 0, 2'000'000), device);
  EXPECT_DOUBLE_EQ(cost.total_s, 3e-6 + 30e-6);
  EXPECT_DOUBLE_EQ(cost.bytes_per_s, 100e9 / 1.5);  // of the bytes that the graph states
  EXPECT_DOUBLE_EQ(CostOf(SpecOf("Tanh", 0, 2'000'000), device).total_s, 22e-6);
}

}  // namespace
}  // namespace opyard::sim
