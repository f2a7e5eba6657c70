#include "agents/learned/go/placement_decoder.h"

#include <cmath>

namespace opyard::agents::go {

namespace nn = torch::nn;

PlacementDecoder::PlacementDecoder(std::int64_t hidden, std::int64_t heads)
    : heads_(heads),
      query_(hidden, hidden),
      key_(nn::LinearOptions(hidden, hidden).bias(false)),  // a bias moves no pointer
      context_(nn::LinearOptions(kNumContextColumns + heads, kWidth).bias(false)),
      row_(hidden, kWidth),
      device_(nn::LinearOptions(hidden, kWidth).bias(false)),
      logit_(nn::LinearOptions(kWidth, 1).bias(false)) {
  register_module("query", query_);
  register_module("key", key_);
  register_module("context", context_);
  register_module("row", row_);
  register_module("device", device_);
  register_module("logit", logit_);
}

PlacementDecoder::Stage PlacementDecoder::Begin(const torch::Tensor& rows,
                                                const torch::Tensor& devices) {
  const std::int64_t num_rows = rows.size(1);
  const std::int64_t head = rows.size(2) / heads_;
  const auto by_heads = [&](const torch::Tensor& of_rows) {  // → [1 or K, H, R, head]
    return of_rows.view({of_rows.size(0), num_rows, heads_, head}).transpose(1, 2);
  };
  const torch::Tensor scores =  // [1 or K, H, R, R]
      by_heads(query_(rows)).matmul(by_heads(key_(rows)).transpose(2, 3)) /
      std::sqrt(static_cast<double>(head));
  const torch::Tensor is_before =
      torch::ones({num_rows, num_rows}, rows.options().dtype(torch::kBool)).tril(-1);
  const torch::Tensor pointers =  // the first row points nowhere
      torch::softmax(scores.to(torch::kFloat).masked_fill(is_before.logical_not(), -1e9), -1) *
      is_before;
  return {.rows = row_(rows).to(torch::kFloat),
          .devices = device_(devices).to(torch::kFloat),
          .pointers = pointers};
}

torch::Tensor PlacementDecoder::Forward(const Stage& stage,
                                        const RowRelations& relations,
                                        const torch::Tensor& devices) {
  return Logits(stage.rows, stage.devices, ContextOfRows(relations, stage.pointers, devices));
}

torch::Tensor PlacementDecoder::ForRow(const Stage& stage,
                                       std::int64_t row,
                                       const torch::Tensor& context) {
  return Logits(stage.rows.select(1, row), stage.devices, context);
}

torch::Tensor PlacementDecoder::Logits(const torch::Tensor& rows,
                                       const torch::Tensor& devices,
                                       const torch::Tensor& context) {
  const torch::Tensor hidden =  // [..., D, width]
      torch::relu(context_(context) + rows.unsqueeze(-2) + devices);
  return logit_(hidden).squeeze(-1).to(torch::kFloat);
}

}  // namespace opyard::agents::go
