#include "agents/learned/go/segment_attention.h"

#include "sim/base/check.h"

namespace opyard::agents::go {
namespace {

// B sequences of L rows, filled up with zeros, as S segments: [B, L, W] → [B, S, segment, W].
torch::Tensor InSegments(const torch::Tensor& rows, std::int64_t segment) {
  const std::int64_t missing = (segment - rows.size(1) % segment) % segment;
  return torch::constant_pad_nd(rows, {0, 0, 0, missing})
      .view({rows.size(0), -1, segment, rows.size(2)});
}

// The segment before each segment, without its gradient; zeros before the first.
torch::Tensor OneBefore(const torch::Tensor& segments) {
  const torch::Tensor before = segments.detach().slice(1, 0, segments.size(1) - 1);
  return torch::constant_pad_nd(before, {0, 0, 0, 0, 1, 0});
}

// Which of the rows before and of its own a segment sees, [S, 1, 1, 2 segment]: those that exist.
torch::Tensor Exists(std::int64_t num_rows, std::int64_t segment, std::int64_t num_segments) {
  const torch::Tensor first = torch::arange(num_segments, torch::kLong).unsqueeze(1) * segment;
  const torch::Tensor row =  // [S, 2 segment]
      first + torch::arange(-segment, segment, torch::kLong).unsqueeze(0);
  return row.ge(0).logical_and(row.lt(num_rows)).view({num_segments, 1, 1, 2 * segment});
}

}  // namespace

SegmentAttention::SegmentAttention(const Sizes& sizes)
    : sizes_(sizes),
      query_(sizes.hidden, sizes.hidden),
      key_value_(sizes.hidden, 2 * sizes.hidden),
      output_(sizes.hidden, sizes.hidden),
      widen_(sizes.hidden, sizes.feed_forward),
      narrow_(sizes.feed_forward, sizes.hidden) {
  OPYARD_CHECK(sizes.hidden % sizes.heads == 0, "heads divide the hidden units");
  register_module("query", query_);
  register_module("key_value", key_value_);
  register_module("output", output_);
  register_module("widen", widen_);
  register_module("narrow", narrow_);
}

torch::Tensor SegmentAttention::Forward(const torch::Tensor& sequences) {
  const torch::Tensor attended =  // [B, L, hidden]
      sequences + output_(Attend(torch::layer_norm(sequences, {sizes_.hidden})));
  const torch::Tensor normed = torch::layer_norm(attended, {sizes_.hidden});
  return attended + narrow_(torch::relu(widen_(normed)));
}

torch::Tensor SegmentAttention::Attend(const torch::Tensor& normed) {
  const std::int64_t num_rows = normed.size(1);
  // A short sequence is one segment of its own length.
  const std::int64_t segment = std::min(sizes_.segment, num_rows);
  const torch::Tensor own = InSegments(normed, segment);  // [B, S, segment, hidden]
  const std::int64_t num_sequences = own.size(0);
  const std::int64_t num_segments = own.size(1);
  const bool is_single = num_segments == 1;
  const torch::Tensor seen = is_single ? own : torch::cat({OneBefore(own), own}, 2);
  const auto by_heads = [&](const torch::Tensor& rows) {  // → [B S, heads, rows, columns]
    return rows
        .reshape({num_sequences * num_segments, -1, sizes_.heads, sizes_.hidden / sizes_.heads})
        .transpose(1, 2);
  };
  const auto keys_values = key_value_(seen).chunk(2, 3);
  std::optional<torch::Tensor> mask;
  if (!is_single) {
    mask = Exists(num_rows, segment, num_segments)
               .to(normed.device())
               .repeat({num_sequences, 1, 1, 1});
  }
  return at::scaled_dot_product_attention(
             by_heads(query_(own)), by_heads(keys_values[0]), by_heads(keys_values[1]), mask)
      .transpose(1, 2)
      .reshape({num_sequences, num_segments * segment, sizes_.hidden})
      .slice(1, 0, num_rows);
}

}  // namespace opyard::agents::go
