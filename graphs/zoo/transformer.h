// The blocks that the transformers of the zoo are made of. Activations are rows:
// [batch · seq, width].
#pragma once

#include <string>

#include "graphs/builder/graph_builder.h"
#include "graphs/zoo/conv_unit.h"

namespace opyard::graphs {

struct TransformerSize {
  std::int64_t batch = 0;
  std::int64_t seq = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;  // width of the feed-forward blocks
  NormOps norm = NormOps::kPrimitive;
};

// Refuses a width that the heads do not divide.
void CheckHeads(std::int64_t width, std::int64_t heads);

// `x` [rows, inputs] times a new weight, plus a new bias if `bias` says so.
enum class Bias : std::uint8_t { kNone, kAdded };
[[nodiscard]] Tensor Project(GraphBuilder& builder,
                             const std::string& name,
                             const Tensor& x,
                             std::int64_t outputs,
                             Bias bias = Bias::kAdded);

// Layer normalisation of rows with scale and offset, as primitives or as one op.
[[nodiscard]] Tensor LayerNorm(GraphBuilder& builder,
                               const std::string& name,
                               const Tensor& x,
                               NormOps ops);

// Rows [batch · length, width] as [batch, heads, length, width / heads], and back.
[[nodiscard]] Tensor SplitHeads(GraphBuilder& builder,
                                const Tensor& rows,
                                std::int64_t batch,
                                std::int64_t heads);
[[nodiscard]] Tensor JoinHeads(GraphBuilder& builder, const Tensor& x);

// Which positions a position sees: `mask` is added to the scores, [1 or batch, 1, 1 or seq, seq].
[[nodiscard]] Tensor AttentionMask(GraphBuilder& builder, const Shape& shape);

// softmax(q·kᵀ / √d + mask)·v with dropout of the weights; heads apart.
[[nodiscard]] Tensor Attend(GraphBuilder& builder,
                            const Tensor& query,
                            const Tensor& key,
                            const Tensor& value,
                            const Tensor& mask);

// Two projections with a GELU between them, then dropout.
[[nodiscard]] Tensor FeedForward(GraphBuilder& builder,
                                 const std::string& name,
                                 const Tensor& x,
                                 std::int64_t inner);

// The mean loss of rows of logits against labels [batch, seq].
[[nodiscard]] Tensor MeanTokenLoss(GraphBuilder& builder,
                                   const Tensor& logits,
                                   const Tensor& labels);

}  // namespace opyard::graphs
