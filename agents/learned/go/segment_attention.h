// GO's attention: over long sequences, segment by segment, each of which also sees the one before.
#pragma once

#include <cstdint>

#include <torch/torch.h>

namespace opyard::agents::go {

// One layer of a Transformer with the recurrence of Transformer-XL (Dai et al., ACL 2019, section
// 3.2) without positions, as GO has it (Zhou et al., NeurIPS 2020, section 3.2). Ops stand in
// topological order and the graph is in their vectors already. The layer computes
//   a(i) = x(i) + O attention(queries of LN x(i); keys and values of LN [stop x(i − 1); x(i)])
//   y(i) = a(i) + W₂ ReLU(W₁ LN a(i) + b₁) + b₂.
// Here x(i) is segment i, `segment` rows of the sequence; the last one may be shorter. Nothing is
// hidden inside a segment: its rows see each other in both directions. With stop no gradient flows
// to the segment before. LN is a layer norm without weights.
//
// Since what a segment sees of the one before is the input of the layer, all segments are computed
// at once. Deviation: LN comes before a matrix, not after it (Xiong et al., ICML 2020), so that no
// warm-up is needed.
class SegmentAttention : public torch::nn::Module {
 public:
  struct Sizes {
    std::int64_t hidden = 128;
    std::int64_t heads = 8;           // of hidden / heads columns each; REQUIRES: heads divides it
    std::int64_t feed_forward = 512;  // columns of W₁
    std::int64_t segment = 256;       // rows
  };
  explicit SegmentAttention(const Sizes& sizes);

  // B sequences of L rows: [B, L, hidden] → [B, L, hidden].
  [[nodiscard]] torch::Tensor Forward(const torch::Tensor& sequences);

 private:
  // [B, L, hidden] → what attention gives, [B, L, hidden].
  [[nodiscard]] torch::Tensor Attend(const torch::Tensor& normed);

  Sizes sizes_;
  torch::nn::Linear query_;
  torch::nn::Linear key_value_;
  torch::nn::Linear output_;
  torch::nn::Linear widen_;
  torch::nn::Linear narrow_;
};

}  // namespace opyard::agents::go
