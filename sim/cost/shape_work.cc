#include "sim/cost/shape_work.h"

#include <algorithm>

#include "sim/cost/device_rates.h"

namespace opyard::sim {
namespace {

// Where blocks that a device does not have start from.
GemmEfficiency HeavyEfficiency(const CostParameters& cost) {
  const auto& heavy = cost.classes[static_cast<std::size_t>(FusionClass::kHeavy)];
  return {.e_max = heavy.efficiency.value_or(1.0)};
}

struct MatrixShape {
  double m;
  double n;
  double k;
};

// The matrix product that one group of a pass amounts to.
MatrixShape ImplicitGemm(const ConvShape& shape, double outputs) {
  const double channels = Real(shape.c / shape.groups);
  const double filters = Real(shape.k / shape.groups);
  const double window = Real(shape.r) * Real(shape.s);
  switch (shape.pass) {
    case ConvPass::kForward:
      break;
    case ConvPass::kBackwardData:
      return {
          .m = Real(shape.n) * Real(shape.h) * Real(shape.w), .n = channels, .k = filters * window};
    case ConvPass::kBackwardWeight:
      return {.m = channels * window, .n = filters, .k = outputs};
  }
  return {.m = outputs, .n = filters, .k = channels * window};
}

std::int64_t OutputLength(std::int64_t in,
                          std::int64_t pad,
                          std::int64_t filter,
                          std::int64_t stride) {
  return std::max<std::int64_t>(0, in + 2 * pad - filter) / stride + 1;
}

// Places of the filter over all images.
double OutputsOf(const ConvShape& shape) {
  return Real(shape.n) * Real(OutputLength(shape.h, shape.pad_h, shape.r, shape.stride_h)) *
         Real(OutputLength(shape.w, shape.pad_w, shape.s, shape.stride_w));
}

// The FLOPs that the algorithm of the pass does for each that is counted.
double AlgorithmFactor(const ConvShape& shape, const ConvParameters& block) {
  const bool is_strided = shape.stride_h > 1 || shape.stride_w > 1;
  if (is_strided) {
    return 1.0 + block.stride_loss;
  }
  return shape.r == 3 && shape.s == 3 ? 1.0 / (1.0 + block.winograd_gain) : 1.0;
}

}  // namespace

double FlopsOf(const GemmShape& shape) {
  return 2.0 * Real(shape.m) * Real(shape.n) * Real(shape.k) * Real(shape.batch);
}

double FlopsOf(const ConvShape& shape) {
  return 2.0 * OutputsOf(shape) * Real(shape.k) * Real(shape.c / shape.groups) * Real(shape.r) *
         Real(shape.s);
}

double ScoresOf(const AttentionShape& shape) {
  const double all = Real(shape.batch) * Real(shape.heads) * Real(shape.queries) * Real(shape.keys);
  return shape.causal ? all / 2.0 : all;
}

double FlopsPerScore(AttentionPass pass, double width, double value_width) {
  return pass == AttentionPass::kForward ? 2.0 * width + 2.0 * value_width + 5.0
                                         : 6.0 * width + 4.0 * value_width + 4.0;
}

double FlopsOf(const AttentionShape& shape) {
  const double width = Real(shape.width);
  const double value_width = shape.value_width > 0 ? Real(shape.value_width) : width;
  return ScoresOf(shape) * FlopsPerScore(shape.pass, width, value_width);
}

double SaturatingEfficiency(const GemmEfficiency& block, double m, double n, double k) {
  const double large = std::max(m, n);
  const double small = std::min(m, n);
  return block.e_max * (large / (large + block.h_m)) * (small / (small + block.h_n)) *
         (k / (k + block.h_k));
}

GemmParameters GemmBlockOf(const CostParameters& cost, DType dtype) {
  const GemmParameters* block = FindBlock(cost.gemm, dtype);
  return block != nullptr ? *block : GemmParameters{.efficiency = HeavyEfficiency(cost)};
}

ConvParameters ConvBlockOf(const CostParameters& cost, DType dtype, ConvPass pass) {
  if (const auto* passes = FindBlock(cost.conv, dtype)) {
    return (*passes)[static_cast<std::size_t>(pass)];
  }
  const GemmParameters gemm = GemmBlockOf(cost, dtype);
  const bool has_tiles = !gemm.tiling.tiles.empty();
  return {.gemm = has_tiles ? HeavyEfficiency(cost) : gemm.efficiency};
}

AttentionParameters AttentionBlockOf(const CostParameters& cost, DType dtype, AttentionPass pass) {
  if (const auto* passes = FindBlock(cost.attention, dtype)) {
    return (*passes)[static_cast<std::size_t>(pass)];
  }
  return {.efficiency = HeavyEfficiency(cost)};
}

RnnParameters RnnBlockOf(const CostParameters& cost, DType dtype, RnnPass pass) {
  if (const auto* passes = FindBlock(cost.rnn, dtype)) {
    return (*passes)[static_cast<std::size_t>(pass)];
  }
  const GemmParameters gemm = GemmBlockOf(cost, dtype);
  const bool has_tiles = !gemm.tiling.tiles.empty();
  return {.efficiency = has_tiles ? HeavyEfficiency(cost) : gemm.efficiency};
}

ShapeWork WorkOf(const ConvShape& shape, const ConvParameters& block) {
  const MatrixShape gemm = ImplicitGemm(shape, OutputsOf(shape));
  return {.flops = FlopsOf(shape) * AlgorithmFactor(shape, block),
          .efficiency = SaturatingEfficiency(block.gemm, gemm.m, gemm.n, gemm.k)};
}

ShapeWork WorkOf(const AttentionShape& shape, const AttentionParameters& block) {
  return {.flops = FlopsOf(shape),
          .efficiency = SaturatingEfficiency(
              block.efficiency, Real(shape.queries), Real(shape.keys), Real(shape.width))};
}

int NumGates(std::string_view type) {
  const auto names = [&](std::string_view word, std::string_view upper) {
    return type.find(word) != std::string_view::npos || type.find(upper) != std::string_view::npos;
  };
  return names("lstm", "LSTM") || names("Lstm", "Lstm") ? 4
         : names("gru", "GRU") || names("Gru", "Gru")   ? 3
                                                        : 1;
}

ShapeWork StepWorkOf(const Op& op, const RnnShape& shape, const RnnParameters& block) {
  const double rows = NumGates(op.type) * Real(shape.hidden);
  const double columns = Real(shape.batch);
  const double depth = 2.0 * Real(shape.hidden);  // the input and the state before
  const double derived = 2.0 * rows * columns * depth;
  return {.flops = op.flops.count > 0.0 ? op.flops.count / Real(shape.timesteps) : derived,
          .efficiency = SaturatingEfficiency(block.efficiency, rows, columns, depth)};
}

}  // namespace opyard::sim
