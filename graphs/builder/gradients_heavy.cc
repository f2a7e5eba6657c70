#include <array>

#include "graphs/builder/gradient_rules.h"

namespace opyard::graphs {
namespace {

// y = op(a) · op(b), where op transposes or not.
void MatMul(GradientContext& op) {
  GraphBuilder& builder = op.builder();
  const Tensor& a = op.input(0);
  const Tensor& b = op.input(1);
  const Tensor& dy = op.gradient();
  const bool is_a_transposed = op.attributes().transpose_a;
  const bool is_b_transposed = op.attributes().transpose_b;
  if (op.wants(0)) {
    op.Set(0,
           is_a_transposed   ? builder.MatMul(b, dy, Transposed::kSecond)
           : is_b_transposed ? builder.MatMul(dy, b)
                             : builder.MatMul(dy, b, Transposed::kSecond));
  }
  if (op.wants(1)) {
    op.Set(1,
           is_b_transposed   ? builder.MatMul(dy, a, Transposed::kFirst)
           : is_a_transposed ? builder.MatMul(a, dy)
                             : builder.MatMul(a, dy, Transposed::kFirst));
  }
}

Tensor BackpropInput(GradientContext& op, std::string_view type) {
  return op.builder().output(op.builder().Append(
      {.type = type,
       .inputs = {op.gradient(), op.input(1)},
       .attributes = {.dims = op.input(0).shape, .window = op.attributes().window},
       .operands = {{.name = "input_sizes", .shape = {4}}}}));
}

Tensor BackpropFilter(GradientContext& op,
                      std::string_view type,
                      const Tensor& image,
                      const Tensor& gradient) {
  return op.builder().output(op.builder().Append(
      {.type = type,
       .inputs = {image, gradient},
       .attributes = {.dims = op.input(1).shape, .window = op.attributes().window},
       .operands = {{.name = "filter_sizes", .shape = {4}}}}));
}

void Conv(GradientContext& op) {
  if (op.wants(0)) {
    op.Set(0, BackpropInput(op, "Conv2DBackpropInput"));
  }
  if (op.wants(1)) {
    op.Set(1, BackpropFilter(op, "Conv2DBackpropFilter", op.input(0), op.gradient()));
  }
}

void DepthwiseConv(GradientContext& op) {
  if (op.wants(0)) {
    op.Set(0, BackpropInput(op, "DepthwiseConv2dNativeBackpropInput"));
  }
  if (op.wants(1)) {
    op.Set(1,
           BackpropFilter(op, "DepthwiseConv2dNativeBackpropFilter", op.input(0), op.gradient()));
  }
}

// A transposed convolution as a forward op: its gradients are a convolution and the filter gradient
// of that convolution.
void ConvTranspose(GradientContext& op) {
  if (op.wants(0)) {
    op.Set(0, op.builder().Conv(op.gradient(), op.input(1), op.attributes().window));
  }
  if (op.wants(1)) {
    op.Set(1, BackpropFilter(op, "Conv2DBackpropFilter", op.gradient(), op.input(0)));
  }
}

constexpr auto kHeavyRules = std::to_array<GradientRule>({
    {"BatchMatMulV2", MatMul},
    {"Conv2D", Conv},
    {"Conv2DBackpropInput", ConvTranspose},
    {"DepthwiseConv2dNative", DepthwiseConv},
    {"MatMul", MatMul},
});

}  // namespace

std::span<const GradientRule> HeavyGradients() {
  return kHeavyRules;
}

}  // namespace opyard::graphs
