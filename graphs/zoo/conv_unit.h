// Convolutions with batch normalisation, as all image models of the zoo use them.
#pragma once

#include <optional>
#include <string>

#include "graphs/builder/graph_builder.h"

namespace opyard::graphs {

enum class NormOps : std::uint8_t {
  kPrimitive,  // moments, scaling and moving averages as TensorFlow's unfused batch normalisation
  kFused,      // one op, and one for its gradients
};

// A square or rectangular filter and how it moves.
struct FilterShape {
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t stride = 1;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;

  // Odd, and padded so that stride 1 keeps the extents of the image.
  [[nodiscard]] static FilterShape Same(std::int64_t height,
                                        std::int64_t width,
                                        std::int64_t stride = 1) {
    return {height, width, stride, height / 2, width / 2};
  }
};

// Builds convolutional layers; `image` is always [batch, channels, height, width].
class ConvUnits {
 public:
  ConvUnits(GraphBuilder& builder, NormOps norm, bool averages_moving_statistics = false)
      : b_(builder), norm_(norm), averages_statistics_(averages_moving_statistics) {}

  // Without bias.
  Tensor Conv(const std::string& name,
              const Tensor& image,
              std::int64_t filters,
              const FilterShape& shape);
  // A filter of its own for each channel, then a 1×1 convolution.
  Tensor SeparableConv(const std::string& name,
                       const Tensor& image,
                       std::int64_t filters,
                       const FilterShape& shape);
  // Batch normalisation with scale and offset; the moving averages of mean and variance are
  // updated.
  Tensor Norm(const std::string& name, const Tensor& image);
  Tensor ConvNorm(const std::string& name,
                  const Tensor& image,
                  std::int64_t filters,
                  const FilterShape& shape);
  Tensor ConvNormRelu(const std::string& name,
                      const Tensor& image,
                      std::int64_t filters,
                      const FilterShape& shape);

  // All filters so far, for a loss of the weights.
  [[nodiscard]] const std::vector<Tensor>& filters() const { return filters_; }

 private:
  Tensor PrimitiveNorm(const Tensor& image, const Tensor& scale, const Tensor& offset);
  void Track(const std::string& name, const Tensor& statistic);

  GraphBuilder& b_;
  NormOps norm_;
  bool averages_statistics_;
  std::vector<Tensor> filters_;
};

// Batch normalisation of `image` [batch, channels, height, width] as one op, in training: the
// statistics of the batch, which it also averages into two Variables without a gradient.
[[nodiscard]] Tensor FusedBatchNorm(GraphBuilder& builder,
                                    const Tensor& image,
                                    const Tensor& scale,
                                    const Tensor& offset);

// The mean loss of logits [batch, classes] against `labels` [batch].
[[nodiscard]] Tensor MeanCrossEntropy(GraphBuilder& builder,
                                      const Tensor& logits,
                                      const Tensor& labels);

// `x` [batch, inputs] times a new weight, plus a new bias.
[[nodiscard]] Tensor DenseLayer(GraphBuilder& builder,
                                const std::string& name,
                                const Tensor& x,
                                std::int64_t outputs);

}  // namespace opyard::graphs
