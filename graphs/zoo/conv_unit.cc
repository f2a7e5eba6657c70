#include "graphs/zoo/conv_unit.h"

#include "graphs/builder/optimizer_step.h"

namespace opyard::graphs {
namespace {

Window WindowOf(const FilterShape& shape, std::int64_t groups = 1) {
  return {.stride_h = shape.stride,
          .stride_w = shape.stride,
          .pad_h = shape.pad_h,
          .pad_w = shape.pad_w,
          .groups = groups};
}

// The fused op has averaged already.
void StoreAverage(GraphBuilder& builder, const std::string& name, const Tensor& average) {
  builder.SetPhase(sim::Phase::kUpdate);
  const VariableInfo moving = builder.State(name, average.shape);
  const GraphBuilder::Scope scope(builder, name);
  builder.Colocate(moving.handle.op, builder.Binary("Assign", moving.handle, average).op);
  builder.SetPhase(sim::Phase::kForward);
}

}  // namespace

Tensor ConvUnits::Conv(const std::string& name,
                       const Tensor& image,
                       std::int64_t filters,
                       const FilterShape& shape) {
  const GraphBuilder::Scope scope(b_, name);
  const Tensor kernel = b_.Weight("kernel", {filters, image.shape[1], shape.height, shape.width});
  filters_.push_back(kernel);
  return b_.Conv(image, kernel, WindowOf(shape));
}

Tensor ConvUnits::SeparableConv(const std::string& name,
                                const Tensor& image,
                                std::int64_t filters,
                                const FilterShape& shape) {
  const GraphBuilder::Scope scope(b_, name);
  const std::int64_t channels = image.shape[1];
  const Tensor kernel = b_.Weight("depthwise", {channels, 1, shape.height, shape.width});
  filters_.push_back(kernel);
  return Conv("pointwise", b_.Conv(image, kernel, WindowOf(shape, channels)), filters, {});
}

Tensor ConvUnits::Norm(const std::string& name, const Tensor& image) {
  const GraphBuilder::Scope scope(b_, name);
  const Tensor scale = b_.Weight("gamma", {image.shape[1]});
  const Tensor offset = b_.Weight("beta", {image.shape[1]});
  if (norm_ == NormOps::kPrimitive) {
    return PrimitiveNorm(image, scale, offset);
  }
  return FusedBatchNorm(b_, image, scale, offset);
}

// The ops of TensorFlow's nn.moments and nn.batch_normalization on [1, channels, 1, 1].
Tensor ConvUnits::PrimitiveNorm(const Tensor& image, const Tensor& scale, const Tensor& offset) {
  const std::int64_t channels = image.shape[1];
  const Shape stretched = {1, channels, 1, 1};
  const Tensor mean = b_.ReduceKeeping("Mean", image, {0, 2, 3});
  const Tensor difference = b_.Binary("SquaredDifference", image, b_.Unary("StopGradient", mean));
  const Tensor variance = b_.ReduceKeeping("Mean", difference, {0, 2, 3});
  const Tensor flat_mean = b_.Squeeze(mean, {0, 2, 3});
  const Tensor flat_variance = b_.Squeeze(variance, {0, 2, 3});
  Track("moving_mean", flat_mean);
  Track("moving_variance", flat_variance);
  const Tensor shown_mean = b_.Reshape(flat_mean, stretched);
  const Tensor shown_variance = b_.Reshape(flat_variance, stretched);
  const Tensor shown_offset = b_.Reshape(offset, stretched);
  const Tensor shown_scale = b_.Reshape(scale, stretched);
  const Tensor deviation = b_.Unary("Rsqrt", b_.WithScalar("AddV2", shown_variance, "epsilon"));
  const Tensor factor = b_.Mul(deviation, shown_scale);
  const Tensor shift = b_.Sub(shown_offset, b_.Mul(shown_mean, factor));
  return b_.Add(b_.Mul(image, factor), shift);
}

// moving = decay · moving + (1 − decay) · statistic, next to its variable.
void ConvUnits::Track(const std::string& name, const Tensor& statistic) {
  b_.SetPhase(sim::Phase::kUpdate);
  const GraphBuilder::Scope scope(b_, name);
  const std::size_t first = b_.num_ops();
  const VariableInfo moving = b_.State("moving", statistic.shape);
  const Tensor kept = b_.WithScalar("Mul", moving.handle, "decay");
  const Tensor added = b_.WithScalar("Mul", statistic, "one_minus_decay");
  const Tensor next = b_.Binary("Assign", moving.handle, b_.Add(kept, added));
  if (averages_statistics_) {
    AddMovingAverage(b_, b_.State("average", statistic.shape), next);
  }
  for (std::size_t op = first; op < b_.num_ops(); ++op) {
    b_.Colocate(moving.handle.op, OpId(op));
  }
  b_.SetPhase(sim::Phase::kForward);
}

Tensor ConvUnits::ConvNorm(const std::string& name,
                           const Tensor& image,
                           std::int64_t filters,
                           const FilterShape& shape) {
  const Tensor convolved = Conv(name, image, filters, shape);
  return Norm(name + "/norm", convolved);
}

Tensor ConvUnits::ConvNormRelu(const std::string& name,
                               const Tensor& image,
                               std::int64_t filters,
                               const FilterShape& shape) {
  const Tensor normed = ConvNorm(name, image, filters, shape);
  const GraphBuilder::Scope scope(b_, name);
  return b_.Relu(normed);
}

Tensor FusedBatchNorm(GraphBuilder& builder,
                      const Tensor& image,
                      const Tensor& scale,
                      const Tensor& offset) {
  const OpId norm = builder.Append({.type = "FusedBatchNormV3", .inputs = {image, scale, offset}});
  StoreAverage(builder, "moving_mean", builder.output(norm, 1));
  StoreAverage(builder, "moving_variance", builder.output(norm, 2));
  return builder.output(norm);
}

Tensor MeanCrossEntropy(GraphBuilder& builder, const Tensor& logits, const Tensor& labels) {
  const GraphBuilder::Scope scope(builder, "loss");
  return builder.Reduce("Mean", builder.CrossEntropy(logits, labels), {0});
}

Tensor DenseLayer(GraphBuilder& builder,
                  const std::string& name,
                  const Tensor& x,
                  std::int64_t outputs) {
  const GraphBuilder::Scope scope(builder, name);
  const Tensor kernel = builder.Weight("kernel", {x.shape[1], outputs});
  const Tensor bias = builder.Weight("bias", {outputs});
  return builder.BiasAdd(builder.MatMul(x, kernel), bias, 1);
}

}  // namespace opyard::graphs
