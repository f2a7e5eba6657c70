#include "graphs/zoo/transformer.h"

#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

// The ops of TensorFlow's nn.moments and nn.batch_normalization over the last axis.
Tensor PrimitiveLayerNorm(GraphBuilder& b,
                          const Tensor& x,
                          const Tensor& scale,
                          const Tensor& offset) {
  const Tensor mean = b.ReduceKeeping("Mean", x, {1});
  const Tensor difference = b.Binary("SquaredDifference", x, b.Unary("StopGradient", mean));
  const Tensor variance = b.ReduceKeeping("Mean", difference, {1});
  const Tensor deviation = b.Unary("Rsqrt", b.WithScalar("AddV2", variance, "epsilon"));
  const Tensor factor = b.Mul(deviation, scale);
  const Tensor shift = b.Sub(offset, b.Mul(mean, factor));
  return b.Add(b.Mul(x, factor), shift);
}

}  // namespace

void CheckHeads(std::int64_t width, std::int64_t heads) {
  if (width % heads != 0) {
    throw InputError("option heads: found " + std::to_string(heads) + ", expected a divisor of " +
                     std::to_string(width) + ", the width");
  }
}

Tensor Project(GraphBuilder& builder,
               const std::string& name,
               const Tensor& x,
               std::int64_t outputs,
               Bias bias) {
  const GraphBuilder::Scope scope(builder, name);
  const Tensor kernel = builder.Weight("kernel", {x.shape[1], outputs});
  if (bias == Bias::kNone) {
    return builder.MatMul(x, kernel);
  }
  const Tensor offset = builder.Weight("bias", {outputs});
  return builder.BiasAdd(builder.MatMul(x, kernel), offset, 1);
}

Tensor LayerNorm(GraphBuilder& builder, const std::string& name, const Tensor& x, NormOps ops) {
  const GraphBuilder::Scope scope(builder, name);
  const Tensor scale = builder.Weight("gamma", {x.shape[1]});
  const Tensor offset = builder.Weight("beta", {x.shape[1]});
  if (ops == NormOps::kPrimitive) {
    return PrimitiveLayerNorm(builder, x, scale, offset);
  }
  return builder.output(builder.Append({.type = "LayerNorm", .inputs = {x, scale, offset}}));
}

Tensor SplitHeads(GraphBuilder& builder,
                  const Tensor& rows,
                  std::int64_t batch,
                  std::int64_t heads) {
  const Shape apart = {batch, rows.shape[0] / batch, heads, rows.shape[1] / heads};
  return builder.Transpose(builder.Reshape(rows, apart), {0, 2, 1, 3});
}

Tensor JoinHeads(GraphBuilder& builder, const Tensor& x) {
  const Shape rows = {x.shape[0] * x.shape[2], x.shape[1] * x.shape[3]};
  return builder.Reshape(builder.Transpose(x, {0, 2, 1, 3}), rows);
}

Tensor AttentionMask(GraphBuilder& builder, const Shape& shape) {
  const Tensor seen = builder.Placeholder("mask", shape, sim::DType::kBool);
  const Tensor hidden = builder.WithScalar("Sub", builder.Cast(seen, sim::DType::kF32), "one");
  return builder.WithScalar("Mul", hidden, "highest");
}

Tensor Attend(GraphBuilder& builder,
              const Tensor& query,
              const Tensor& key,
              const Tensor& value,
              const Tensor& mask) {
  const Tensor products = builder.MatMul(query, key, Transposed::kSecond);
  const Tensor scores = builder.Add(builder.WithScalar("Mul", products, "scale"), mask);
  const Tensor weights = builder.Dropout(builder.Softmax(scores));  // [batch, heads, seq, seq]
  return builder.MatMul(weights, value);
}

Tensor FeedForward(GraphBuilder& builder,
                   const std::string& name,
                   const Tensor& x,
                   std::int64_t inner) {
  const GraphBuilder::Scope scope(builder, name);
  const Tensor wide = builder.Unary("Gelu", Project(builder, "in", x, inner));
  return builder.Dropout(Project(builder, "out", wide, x.shape[1]));
}

Tensor MeanTokenLoss(GraphBuilder& builder, const Tensor& logits, const Tensor& labels) {
  return MeanCrossEntropy(builder, logits, builder.Reshape(labels, {logits.shape[0]}));
}

}  // namespace opyard::graphs
