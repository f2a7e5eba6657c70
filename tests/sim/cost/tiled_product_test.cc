#include "sim/cost/tiled_product.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using opyard::testing::CostOf;
using opyard::testing::RoundDevice;
using opyard::testing::SpecOf;

GemmShape Product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  return {.m = m, .n = n, .k = k, .batch = batch};
}

// A device of 10 compute units, 1 TFLOP/s in all, tiles of 128 × 128.
Device TiledDevice() {
  Device device = RoundDevice();
  device.cost.compute_units = 10;
  device.cost.gemm[DType::kF32] = {.efficiency = {.e_max = 1.0},
                                   .tiling = {.tiles = {{.rows = 128, .columns = 128}}}};
  return device;
}

double FlopSeconds(const GemmShape& shape, const Device& device) {
  return CostOf(SpecOf(shape), device).flop_s;
}

// 2 · 128 · 128 · 1000 = 32.768 MFLOP of a tile of depth 1000 at 0.1 TFLOP/s: 327.68 us.
constexpr double kTileS = 327.68e-6;

TEST(TiledProductTest, TilesRunInWaves) {
  const Device device = TiledDevice();
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(128, 128, 1000), device), kTileS);          // 1 of 10 units
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(1280, 128, 1000), device), kTileS);         // 10 tiles
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(1281, 128, 1000), device), 2 * kTileS);     // 11 tiles
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(1280, 256, 1000), device), 2 * kTileS);     // 20 tiles
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(128, 128, 1000, 11), device), 2 * kTileS);  // a batch
}

TEST(TiledProductTest, APartOfATileTakesAsLongAsAWhole) {
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(1, 1, 1000), TiledDevice()), kTileS);
}

TEST(TiledProductTest, DepthAndSideSaturate) {
  Device device = TiledDevice();
  GemmParameters& block = device.cost.gemm[DType::kF32];
  block.efficiency.h_k = 500;
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(128, 128, 1000), device), 1.5 * kTileS);
  block.tiling.h_tile = 128;  // the side is 128, too: half of the rate
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(128, 128, 1000), device), 3.0 * kTileS);
}

TEST(TiledProductTest, TheFastestTileCounts) {
  Device device = TiledDevice();
  device.cost.gemm[DType::kF32].tiling.tiles.push_back({.rows = 64, .columns = 64});
  // 1 tile of 128 × 128 in 327.68 us, or 4 of 64 × 64 side by side in a quarter of it.
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(128, 128, 1000), device), kTileS / 4);
}

TEST(TiledProductTest, KIsDividedWhereUnitsAreIdle) {
  Device device = TiledDevice();
  device.cost.gemm[DType::kF32].tiling.split_overhead_s = 3e-6;
  // In 8 parts of depth 125: 40.96 us, 3 us, and 8 · 128 · 128 · 4 B = 524,288 B at 100 GB/s.
  // (In 4 parts 81.92 us + 3 us + 2.6 us; in 16, two waves of 20.48 us + 3 us + 10.49 us = 54.45.)
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(128, 128, 1000), device), 40.96e-6 + 3e-6 + 5.24288e-6);
  // Ten tiles keep all units busy: nothing to gain.
  EXPECT_DOUBLE_EQ(FlopSeconds(Product(1280, 128, 1000), device), kTileS);
}

TEST(TiledProductTest, ProductsAreSymmetricAndMonotone) {
  Device device = TiledDevice();
  GemmParameters& block = device.cost.gemm[DType::kF32];
  block.tiling.tiles = {{.rows = 256, .columns = 128}, {.rows = 64, .columns = 32}};
  block.tiling.split_overhead_s = 1e-6;
  block.efficiency.h_k = 30;
  EXPECT_EQ(FlopSeconds(Product(900, 40, 512), device), FlopSeconds(Product(40, 900, 512), device));
  for (const std::int64_t size : {1, 31, 64, 65, 127, 500, 4096}) {
    EXPECT_LE(FlopSeconds(Product(size, 64, 300), device),
              FlopSeconds(Product(size + 1, 64, 300), device));
    EXPECT_LE(FlopSeconds(Product(64, size, 300), device),
              FlopSeconds(Product(64, size + 1, 300), device));
    EXPECT_LT(FlopSeconds(Product(64, 300, size), device),
              FlopSeconds(Product(64, 300, size + 1), device));
  }
}

TEST(TiledProductTest, NoProductIsFasterThanAllUnits) {
  const Device device = TiledDevice();
  for (const std::int64_t size : {100, 777, 5000}) {
    const GemmShape shape = Product(size, size, size);
    EXPECT_GE(FlopSeconds(shape, device), 2.0 * std::pow(static_cast<double>(size), 3) / 1e12);
  }
}

}  // namespace
}  // namespace opyard::sim
