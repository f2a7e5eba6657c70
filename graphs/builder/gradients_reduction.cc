#include <array>

#include "graphs/builder/gradient_rules.h"

namespace opyard::graphs {
namespace {

// The gradient of a sum, as large as what was summed.
Tensor Stretch(GradientContext& op) {
  Shape kept = op.input(0).shape;
  for (const std::int64_t axis : op.attributes().dims) {
    kept[static_cast<std::size_t>(axis)] = 1;
  }
  const Tensor& gradient = op.gradient();
  const Tensor aligned = gradient.shape == kept ? gradient : op.builder().Reshape(gradient, kept);
  return op.builder().Tile(aligned, op.input(0).shape);
}

void Sum(GradientContext& op) {
  op.Set(0, Stretch(op));
}

void Mean(GradientContext& op) {
  op.Set(0, op.builder().WithScalar("RealDiv", Stretch(op), "count"));
}

void L2Loss(GradientContext& op) {
  op.Set(0, op.builder().Mul(op.input(0), op.gradient()));
}

// y = softmax(x): ẋ = (ẏ − Σ ẏ·y) · y over the last axis.
void Softmax(GradientContext& op) {
  GraphBuilder& builder = op.builder();
  const Tensor y = op.output();
  const auto last = static_cast<std::int64_t>(y.shape.size()) - 1;
  const Tensor sum = builder.ReduceKeeping("Sum", builder.Mul(op.gradient(), y), {last});
  op.Set(0, builder.Mul(builder.Sub(op.gradient(), sum), y));
}

// Output 1 is the gradient of the loss by the logits, made in the forward pass.
void CrossEntropy(GradientContext& op) {
  op.Set(0, op.builder().Mul(op.builder().ExpandDims(op.gradient(), 1), op.output(1)));
}

void AvgPool(GradientContext& op) {
  op.Set(0,
         op.builder().output(op.builder().Append(
             {.type = "AvgPoolGrad",
              .inputs = {op.gradient()},
              .attributes = {.dims = op.input(0).shape, .window = op.attributes().window},
              .operands = {{.name = "orig_input_shape", .shape = {4}}}})));
}

void MaxPool(GradientContext& op) {
  op.Set(
      0,
      op.builder().output(op.builder().Append({.type = "MaxPoolGrad",
                                               .inputs = {op.input(0), op.output(), op.gradient()},
                                               .attributes = op.attributes()})));
}

// One op makes the gradients of input, scale and offset from the statistics of the forward pass.
void Normalise(GradientContext& op, std::string_view type) {
  const OpId gradients = op.builder().Append(
      {.type = type,
       .inputs = {op.gradient(), op.input(0), op.input(1), op.output(1), op.output(2)}});
  for (const std::size_t i : {0, 1, 2}) {
    if (op.wants(i)) {
      op.Set(i, op.builder().output(gradients, i));
    }
  }
}

void BatchNorm(GradientContext& op) {
  Normalise(op, "FusedBatchNormGradV3");
}

void LayerNorm(GradientContext& op) {
  Normalise(op, "LayerNormGrad");
}

constexpr auto kReductionRules = std::to_array<GradientRule>({
    {"ArgMax"},
    {"AvgPool", AvgPool},
    {"FusedBatchNormV3", BatchNorm},
    {"L2Loss", L2Loss},
    {"LayerNorm", LayerNorm},
    {"MaxPool", MaxPool},
    {"Mean", Mean},
    {"Softmax", Softmax},
    {"SoftmaxCrossEntropyWithLogits", CrossEntropy},
    {"SparseSoftmaxCrossEntropyWithLogits", CrossEntropy},
    {"Sum", Sum},
});

}  // namespace

std::span<const GradientRule> ReductionGradients() {
  return kReductionRules;
}

}  // namespace opyard::graphs
