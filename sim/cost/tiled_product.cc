#include "sim/cost/tiled_product.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "sim/cost/device_rates.h"

namespace opyard::sim {
namespace {

constexpr auto kUndivided = std::to_array<double>({1.0});
constexpr auto kDivisions = std::to_array<double>({1.0, 2.0, 4.0, 8.0, 16.0});
constexpr double kBytesOfASum = 4.0;

// Seconds with `tile`, K divided in `parts`.
double SecondsOf(const GemmShape& shape,
                 const GemmParameters& block,
                 const TileRates& rates,
                 const Tile& tile,
                 double parts) {
  const double m = Real(std::max(shape.m, shape.n));
  const double n = Real(std::min(shape.m, shape.n));
  const double rows = Real(tile.rows);
  const double columns = Real(tile.columns);
  const double side = std::sqrt(rows * columns);
  const double unit_rate =
      rates.flops_per_s / rates.compute_units * (side / (side + block.tiling.h_tile));
  const double tiles = std::ceil(m / rows) * std::ceil(n / columns) * Real(shape.batch) * parts;
  const double depth = Real(shape.k) / parts + block.efficiency.h_k;
  const double seconds =
      std::ceil(tiles / rates.compute_units) * 2.0 * rows * columns * depth / unit_rate;
  if (parts == 1.0) {
    return seconds;
  }
  const double sums = parts * m * n * Real(shape.batch) * kBytesOfASum;
  return seconds + *block.tiling.split_overhead_s + sums / rates.cache;
}

}  // namespace

double TiledSeconds(const GemmShape& shape, const GemmParameters& block, const TileRates& rates) {
  const auto divisions = block.tiling.split_overhead_s ? std::span<const double>(kDivisions)
                                                       : std::span<const double>(kUndivided);
  double best = std::numeric_limits<double>::max();
  for (const Tile& tile : block.tiling.tiles) {
    for (const double parts : divisions) {
      best = std::min(best, SecondsOf(shape, block, rates, tile, parts));
    }
  }
  return best;
}

}  // namespace opyard::sim
