#include <array>

#include "graphs/builder/gradient_rules.h"

namespace opyard::graphs {
namespace {

void ReshapeBack(GradientContext& op) {
  op.Set(0, op.builder().Reshape(op.gradient(), op.input(0).shape));
}

void Transpose(GradientContext& op) {
  Shape inverse(op.attributes().dims.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    inverse[static_cast<std::size_t>(op.attributes().dims[i])] = static_cast<std::int64_t>(i);
  }
  op.Set(0, op.builder().Transpose(op.gradient(), inverse));
}

void Concat(GradientContext& op) {
  const auto axis = static_cast<std::size_t>(op.attributes().axis);
  Shape begin(op.gradient().shape.size());
  for (std::size_t i = 0; i < op.inputs().size(); ++i) {
    if (op.wants(i)) {
      op.Set(i, op.builder().Slice(op.gradient(), begin, op.input(i).shape));
    }
    begin[axis] += op.input(i).shape[axis];
  }
}

// The gradients of all `count` outputs; zeros for those that nothing was made of.
std::vector<Tensor> GradientsOfAll(GradientContext& op, std::size_t count) {
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < count; ++i) {
    gradients.push_back(op.has_gradient(i) ? op.gradient(i)
                                           : op.builder().Unary("ZerosLike", op.output(i)));
  }
  return gradients;
}

void Split(GradientContext& op) {
  const auto count = static_cast<std::size_t>(op.attributes().count);
  op.Set(0, op.builder().Concat(GradientsOfAll(op, count), op.attributes().axis));
}

void Pack(GradientContext& op) {
  const std::vector<Tensor> parts = op.builder().Unpack(op.gradient(), op.attributes().axis);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (op.wants(i)) {
      op.Set(i, parts[i]);
    }
  }
}

void Unpack(GradientContext& op) {
  const auto axis = static_cast<std::size_t>(op.attributes().axis);
  const auto count = static_cast<std::size_t>(op.input(0).shape[axis]);
  op.Set(0, op.builder().Pack(GradientsOfAll(op, count), op.attributes().axis));
}

void Slice(GradientContext& op) {
  Shape after = op.input(0).shape;
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] -= op.attributes().begin[i] + op.attributes().dims[i];
  }
  op.Set(0, op.builder().Pad(op.gradient(), op.attributes().begin, after));
}

void Pad(GradientContext& op) {
  op.Set(0, op.builder().Slice(op.gradient(), op.attributes().begin, op.input(0).shape));
}

void Tile(GradientContext& op) {
  op.SetSummed(0, op.gradient());
}

// The gathered rows add to the table's gradient, which is as large as the table.
void Gather(GradientContext& op) {
  const Shape& table = op.input(0).shape;
  op.Set(0,
         op.builder().output(op.builder().Append({.type = "UnsortedSegmentSum",
                                                  .inputs = {op.gradient(), op.input(1)},
                                                  .attributes = {.count = table[0]},
                                                  .operands = {{.name = "num_segments"}}})));
}

constexpr auto kMovementRules = std::to_array<GradientRule>({
    {"ConcatV2", Concat},
    {"ExpandDims", ReshapeBack},
    {"GatherV2", Gather},
    {"OneHot"},
    {"Pack", Pack},
    {"Pad", Pad},
    {"Reshape", ReshapeBack},
    {"Slice", Slice},
    {"Split", Split},
    {"Squeeze", ReshapeBack},
    {"Tile", Tile},
    {"Transpose", Transpose},
    {"Unpack", Unpack},
});

}  // namespace

std::span<const GradientRule> MovementGradients() {
  return kMovementRules;
}

}  // namespace opyard::graphs
