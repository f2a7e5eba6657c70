#include "sim/cost/shape_work.h"

#include <algorithm>
#include <utility>

#include "sim/cost/wider_type.h"

namespace opyard::sim {
namespace {

double Number(std::int64_t value) {
  return static_cast<double>(value);
}

// The block of `dtype`, else of the nearest wider type that has one, else null.
template <class Block>
const Block* FindBlock(const std::map<DType, Block>& blocks, DType dtype) {
  while (!blocks.contains(dtype) && dtype != DType::kF32) {
    dtype = WiderType(dtype);
  }
  const auto found = blocks.find(dtype);
  return found == blocks.end() ? nullptr : &found->second;
}

GemmEfficiency GemmBlock(const CostParameters& cost, DType dtype) {
  if (const GemmEfficiency* block = FindBlock(cost.gemm, dtype)) {
    return *block;
  }
  const auto& heavy = cost.classes[static_cast<std::size_t>(FusionClass::kHeavy)];
  return {.e_max = heavy.efficiency.value_or(1.0)};
}

ConvEfficiency ConvBlock(const CostParameters& cost, DType dtype, ConvPass pass) {
  if (const auto* passes = FindBlock(cost.conv, dtype)) {
    return (*passes)[static_cast<std::size_t>(pass)];
  }
  return {.gemm = GemmBlock(cost, dtype)};
}

struct MatrixShape {
  double m;
  double n;
  double k;
};

// The matrix product that one group of a pass amounts to.
MatrixShape ImplicitGemm(const ConvShape& shape, double outputs) {
  const double channels = Number(shape.c / shape.groups);
  const double filters = Number(shape.k / shape.groups);
  const double window = Number(shape.r) * Number(shape.s);
  switch (shape.pass) {
    case ConvPass::kForward:
      break;
    case ConvPass::kBackwardData:
      return {.m = Number(shape.n) * Number(shape.h) * Number(shape.w),
              .n = channels,
              .k = filters * window};
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

}  // namespace

double SaturatingEfficiency(const GemmEfficiency& block, double m, double n, double k) {
  const double large = std::max(m, n);
  const double small = std::min(m, n);
  return block.e_max * (large / (large + block.h_m)) * (small / (small + block.h_n)) *
         (k / (k + block.h_k));
}

ShapeWork WorkOf(const GemmShape& shape, DType dtype, const CostParameters& cost) {
  const double m = Number(shape.m);
  const double n = Number(shape.n);
  const double k = Number(shape.k);
  return {.flops = 2.0 * m * n * k * Number(shape.batch),
          .efficiency = SaturatingEfficiency(GemmBlock(cost, dtype), m, n, k)};
}

ShapeWork WorkOf(const ConvShape& shape, DType dtype, const CostParameters& cost) {
  const double outputs = Number(shape.n) *
                         Number(OutputLength(shape.h, shape.pad_h, shape.r, shape.stride_h)) *
                         Number(OutputLength(shape.w, shape.pad_w, shape.s, shape.stride_w));
  const double flops = 2.0 * outputs * Number(shape.k) * Number(shape.c / shape.groups) *
                       Number(shape.r) * Number(shape.s);
  const ConvEfficiency block = ConvBlock(cost, dtype, shape.pass);
  const MatrixShape gemm = ImplicitGemm(shape, outputs);
  const bool is_winograd =
      shape.r == 3 && shape.s == 3 && shape.stride_h == 1 && shape.stride_w == 1;
  return {.flops = is_winograd ? flops / (1.0 + block.winograd_gain) : flops,
          .efficiency = SaturatingEfficiency(block.gemm, gemm.m, gemm.n, gemm.k)};
}

int NumGates(std::string_view type) {
  const auto names = [&](std::string_view word, std::string_view upper) {
    return type.find(word) != std::string_view::npos || type.find(upper) != std::string_view::npos;
  };
  return names("lstm", "LSTM") || names("Lstm", "Lstm") ? 4
         : names("gru", "GRU") || names("Gru", "Gru")   ? 3
                                                        : 1;
}

ShapeWork StepWorkOf(const Op& op, const RnnShape& shape, const CostParameters& cost) {
  const double rows = NumGates(op.type) * Number(shape.hidden);
  const double columns = Number(shape.batch);
  const double depth = 2.0 * Number(shape.hidden);  // the input and the state before
  const double derived = 2.0 * rows * columns * depth;
  return {.flops = op.flops.count > 0.0 ? op.flops.count / Number(shape.timesteps) : derived,
          .efficiency = SaturatingEfficiency(GemmBlock(cost, op.dtype), rows, columns, depth)};
}

}  // namespace opyard::sim
