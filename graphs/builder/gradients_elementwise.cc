#include <array>
#include <string>

#include "graphs/builder/gradient_rules.h"

namespace opyard::graphs {
namespace {

void Pass(GradientContext& op) {
  op.Set(0, op.gradient());
}

void Negate(GradientContext& op) {
  op.Set(0, op.builder().Unary("Neg", op.gradient()));
}

void AddToBoth(GradientContext& op) {
  for (const std::size_t i : {0, 1}) {
    if (op.wants(i)) {
      op.SetSummed(i, op.gradient());
    }
  }
}

void AddToAll(GradientContext& op) {
  for (std::size_t i = 0; i < op.inputs().size(); ++i) {
    if (op.wants(i)) {
      op.Set(i, op.gradient());
    }
  }
}

void Subtract(GradientContext& op) {
  if (op.wants(0)) {
    op.SetSummed(0, op.gradient());
  }
  if (op.wants(1)) {
    op.SetSummed(1, op.gradient());
    op.Set(1, op.builder().Unary("Neg", *op.results()[1]));
  }
}

void Multiply(GradientContext& op) {
  if (op.wants(0)) {
    op.SetSummed(0, op.builder().Mul(op.gradient(), op.input(1)));
  }
  if (op.wants(1)) {
    op.SetSummed(1, op.builder().Mul(op.input(0), op.gradient()));
  }
}

// y = a / b: ȧ = ẏ / b, ḃ = −ẏ · y / b.
void Divide(GradientContext& op) {
  GraphBuilder& builder = op.builder();
  if (op.wants(0)) {
    op.SetSummed(0, builder.Div(op.gradient(), op.input(1)));
  }
  if (op.wants(1)) {
    const Tensor slope = builder.Div(builder.Unary("Neg", op.output()), op.input(1));
    op.SetSummed(1, builder.Mul(op.gradient(), slope));
  }
}

// y = (a − b)²: ȧ = 2 ẏ · (a − b), ḃ = −ȧ.
void SquareDifference(GradientContext& op) {
  GraphBuilder& builder = op.builder();
  const Tensor twice = builder.WithScalar("Mul", op.gradient(), "two");
  const Tensor slope = builder.Mul(twice, builder.Sub(op.input(0), op.input(1)));
  if (op.wants(0)) {
    op.SetSummed(0, slope);
  }
  if (op.wants(1)) {
    op.SetSummed(1, slope);
    op.Set(1, builder.Unary("Neg", *op.results()[1]));
  }
}

void Square(GradientContext& op) {
  const Tensor slope = op.builder().WithScalar("Mul", op.input(0), "two");
  op.Set(0, op.builder().Mul(op.gradient(), slope));
}

void Exponential(GradientContext& op) {
  op.Set(0, op.builder().Mul(op.gradient(), op.output()));
}

void Logarithm(GradientContext& op) {
  op.Set(0, op.builder().Div(op.gradient(), op.input(0)));
}

// y = erf(x): ẋ = ẏ · exp(−x²) · 2/√π.
void ErrorFunction(GradientContext& op) {
  GraphBuilder& builder = op.builder();
  const Tensor fall =
      builder.Unary("Exp", builder.Unary("Neg", builder.Unary("Square", op.input(0))));
  op.Set(0, builder.Mul(op.gradient(), builder.WithScalar("Mul", fall, "two_over_root_pi")));
}

// y = aᵇ: ȧ = ẏ · b · aᵇ⁻¹, ḃ = ẏ · y · log a.
void Power(GradientContext& op) {
  GraphBuilder& builder = op.builder();
  if (op.wants(0)) {
    const Tensor less = builder.WithScalar("Sub", op.input(1), "one");
    const Tensor slope = builder.Mul(op.input(1), builder.Binary("Pow", op.input(0), less));
    op.SetSummed(0, builder.Mul(op.gradient(), slope));
  }
  if (op.wants(1)) {
    const Tensor slope = builder.Mul(op.output(), builder.Unary("Log", op.input(0)));
    op.SetSummed(1, builder.Mul(op.gradient(), slope));
  }
}

// Activations whose slope follows from their result, each with an op of its own: "TanhGrad".
void FromResult(GradientContext& op) {
  op.Set(0, op.builder().Binary(std::string(op.type()) + "Grad", op.output(), op.gradient()));
}

void FromArgument(GradientContext& op) {
  op.Set(0, op.builder().Binary(std::string(op.type()) + "Grad", op.gradient(), op.input(0)));
}

void Select(GradientContext& op) {
  if (op.wants(1)) {
    op.SetSummed(1, op.builder().SelectOrZero(op.input(0), op.gradient()));
  }
  if (op.wants(2)) {
    op.SetSummed(2, op.builder().SelectZeroOr(op.input(0), op.gradient()));
  }
}

void CastBack(GradientContext& op) {
  op.Set(0, op.builder().Cast(op.gradient(), op.input(0).dtype));
}

void BiasAdd(GradientContext& op) {
  if (op.wants(0)) {
    op.Set(0, op.gradient());
  }
  if (op.wants(1)) {
    op.Set(1,
           op.builder().output(op.builder().Append(
               {.type = "BiasAddGrad", .inputs = {op.gradient()}, .attributes = op.attributes()})));
  }
}

constexpr auto kElementwiseRules = std::to_array<GradientRule>({
    {"AddN", AddToAll},
    {"AddV2", AddToBoth},
    {"BiasAdd", BiasAdd},
    {"Cast", CastBack},
    {"Erf", ErrorFunction},
    {"Exp", Exponential},
    {"Floor"},
    {"Gelu", FromArgument},
    {"GreaterEqual"},
    {"Identity", Pass},
    {"LeakyRelu", FromArgument},
    {"Less"},
    {"Log", Logarithm},
    {"Mul", Multiply},
    {"Neg", Negate},
    {"Pow", Power},
    {"RandomUniform"},
    {"RealDiv", Divide},
    {"Relu", FromResult},
    {"Relu6", FromArgument},
    {"Rsqrt", FromResult},
    {"SelectV2", Select},
    {"Sigmoid", FromResult},
    {"Sqrt", FromResult},
    {"Square", Square},
    {"SquaredDifference", SquareDifference},
    {"StopGradient"},
    {"Sub", Subtract},
    {"Tanh", FromResult},
});

}  // namespace

std::span<const GradientRule> ElementwiseGradients() {
  return kElementwiseRules;
}

}  // namespace opyard::graphs
