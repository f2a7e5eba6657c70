// Placements of GO's policy, row after row; policy.cc has its layers.
#include <optional>
#include <vector>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/go/policy.h"

namespace opyard::agents::go {

bool Policy::IsAutoregressive(const PolicyInput& input, Task task) const {
  return task == Task::kPlacement && input.rows->mask.size(0) <= sizes_.autoregressive_rows;
}

torch::Tensor Policy::OutputsGiven(const PolicyInput& input,
                                   const EncodedInput& encoded,
                                   const torch::Tensor& rows,
                                   const torch::Tensor& placements) {
  const PlacementDecoder::Stage stage = decoder_->Begin(rows, encoded.devices);
  return MaskedLogProbs(Logits(input, Task::kPlacement, encoded.devices, rows) +
                            decoder_->Forward(stage, encoded.relations, placements),
                        input.rows->mask);
}

OrderedPlacements Policy::PlaceInOrder(const PolicyInput& input,
                                       const EncodedInput& encoded,
                                       const torch::Tensor& rows,
                                       const PlacementRule& rule) {
  const PlacementDecoder::Stage stage = decoder_->Begin(rows, encoded.devices);
  const torch::Tensor logits =  // [1 or K, R, D]
      Logits(input, Task::kPlacement, encoded.devices, rows);
  RowContext context(encoded.relations, stage.pointers, rule.num_plans);
  std::optional<RowRoom> room;
  if (rule.capacity != nullptr) {
    room.emplace(*rule.capacity, rule.num_plans, rule.is_sampled);
  }
  std::vector<torch::Tensor> devices;    // [K] each
  std::vector<torch::Tensor> log_probs;  // [K, D] each
  std::vector<torch::Tensor> allowed;    // [K, D] each
  for (std::int64_t row = 0; row < logits.size(1); ++row) {
    allowed.push_back(room.has_value() ? room->Allowed(row).to(logits.device())
                                       : input.rows->mask[row].expand({rule.num_plans, -1}));
    log_probs.push_back(Sharpened(
        MaskedLogProbs(logits.select(1, row) + decoder_->ForRow(stage, row, context.Next()),
                       allowed.back()),
        rule.temperature));
    devices.push_back(rule.choose(log_probs.back()));
    context.Place(devices.back());
    if (room.has_value()) {
      room->Place(row, devices.back());
    }
  }
  return {.devices = torch::stack(devices, 1),
          .log_probs = torch::stack(log_probs, 1),
          .allowed = torch::stack(allowed, 1)};
}

}  // namespace opyard::agents::go
