#include "agents/learned/go/segment_attention.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"

namespace opyard::agents::go {
namespace {

constexpr SegmentAttention::Sizes kSmallAttention{
    .hidden = 12, .heads = 3, .feed_forward = 20, .segment = 4};
constexpr std::int64_t kColumns = 4;  // of a head

// Weights and biases sampled from a fixed seed.
std::shared_ptr<SegmentAttention> Layer() {
  auto layer = std::make_shared<SegmentAttention>(kSmallAttention);
  Rng rng(3);
  InitialiseWeights(*layer, rng);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : layer->parameters()) {
    if (parameter.dim() == 1) {
      parameter.copy_(torch::linspace(-0.5, 0.5, parameter.numel()));
    }
  }
  return layer;
}

torch::Tensor Sequences(std::int64_t num_sequences, std::int64_t num_rows) {
  Rng rng(17);
  std::vector<float> values(
      static_cast<std::size_t>(num_sequences * num_rows * kSmallAttention.hidden));
  for (float& value : values) {
    value = static_cast<float>(2.0 * rng.Uniform() - 1.0);
  }
  return torch::tensor(values).view({num_sequences, num_rows, kSmallAttention.hidden});
}

torch::Tensor Linear(SegmentAttention& layer, const std::string& name, const torch::Tensor& rows) {
  const auto parameters = layer.named_parameters();
  return rows.matmul(parameters[name + ".weight"].t()) + parameters[name + ".bias"];
}

torch::Tensor Normed(const torch::Tensor& rows) {
  return torch::layer_norm(rows, {kSmallAttention.hidden});
}

// The attention of one row [hidden] to the rows that it sees, [R, hidden]: one head after the
// other, by the formula of attention.
torch::Tensor AttentionOf(SegmentAttention& layer,
                          const torch::Tensor& row,
                          const torch::Tensor& seen) {
  const torch::Tensor query = Linear(layer, "query", Normed(row));
  const auto keys_values = Linear(layer, "key_value", Normed(seen)).chunk(2, 1);
  std::vector<torch::Tensor> heads;
  for (std::int64_t head = 0; head < kSmallAttention.heads; ++head) {
    const auto columns = [&](const torch::Tensor& rows) {
      return rows.slice(-1, head * kColumns, (head + 1) * kColumns);
    };
    const torch::Tensor weights = torch::softmax(
        columns(keys_values[0]).matmul(columns(query)) / std::sqrt(double{kColumns}), 0);  // [R]
    heads.push_back(weights.matmul(columns(keys_values[1])));
  }
  return torch::cat(heads);
}

// The layer of one sequence [L, hidden], row by row: the rows from the beginning of the segment
// before to the end of its own are what a row sees.
torch::Tensor SlowLayer(SegmentAttention& layer, const torch::Tensor& sequence) {
  std::vector<torch::Tensor> outputs;
  for (std::int64_t i = 0; i < sequence.size(0); ++i) {
    const std::int64_t first = i / kSmallAttention.segment * kSmallAttention.segment;
    const std::int64_t last = std::min(first + kSmallAttention.segment, sequence.size(0));
    const torch::Tensor seen =
        sequence.slice(0, std::max<std::int64_t>(first - kSmallAttention.segment, 0), last);
    const torch::Tensor attended =
        sequence[i] + Linear(layer, "output", AttentionOf(layer, sequence[i], seen));
    outputs.push_back(
        attended + Linear(layer, "narrow", torch::relu(Linear(layer, "widen", Normed(attended)))));
  }
  return torch::stack(outputs);
}

// One row, less than a segment, whole segments, and one row more: where borders go wrong.
class SegmentBorderTest : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(SegmentBorderTest, EachRowSeesItsSegmentAndTheOneBefore) {
  const auto layer = Layer();
  const torch::Tensor sequences = Sequences(2, GetParam());
  const torch::Tensor found = layer->Forward(sequences);
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(torch::allclose(found[i], SlowLayer(*layer, sequences[i]), 1e-4, 1e-5)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, SegmentBorderTest, ::testing::Values(1, 3, 4, 5, 8, 9, 14));

// The gradient is that of the sum over the rows of the third segment: the second one's rows changed
// what came out, but get no gradient, nor does the first one, which nobody sees.
TEST(SegmentAttentionTest, NoGradientFlowsToTheSegmentBefore) {
  const auto layer = Layer();
  const torch::Tensor sequences = Sequences(1, 12).requires_grad_();
  layer->Forward(sequences).slice(1, 8, 12).sum().backward();
  const torch::Tensor norms = sequences.grad()[0].norm(2, 1);  // [12]
  EXPECT_TRUE(torch::equal(norms.slice(0, 0, 8), torch::zeros(8)));
  EXPECT_GT(norms.slice(0, 8, 12).min().item<float>(), 0.0F);

  torch::Tensor changed = sequences.detach().clone();
  changed[0][5][0] += 1.0;  // of the second segment
  const torch::Tensor before = layer->Forward(sequences.detach()).slice(1, 8, 12);
  EXPECT_FALSE(torch::allclose(layer->Forward(changed).slice(1, 8, 12), before));
  changed = sequences.detach().clone();
  changed[0][2][0] += 1.0;  // of the first one
  EXPECT_TRUE(torch::allclose(layer->Forward(changed).slice(1, 8, 12), before));
}

TEST(SegmentAttentionTest, RowsThatChangePlacesInASegmentChangePlacesInTheResult) {
  const auto layer = Layer();
  const torch::Tensor sequences = Sequences(1, 8);
  const torch::Tensor order = torch::tensor({2, 0, 3, 1, 4, 5, 6, 7}, torch::kLong);
  EXPECT_TRUE(torch::allclose(layer->Forward(sequences.index_select(1, order)),
                              layer->Forward(sequences).index_select(1, order),
                              1e-4,
                              1e-5));
}

}  // namespace
}  // namespace opyard::agents::go
