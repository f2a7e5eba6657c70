#include "agents/learned/reinforce_lstm/policy.h"

#include <cmath>
#include <utility>
#include <vector>

#include "agents/learned/common/output_shapes.h"
#include "agents/learned/common/reinforce.h"

namespace opyard::agents::reinforce_lstm {

namespace nn = torch::nn;

namespace {

constexpr std::int64_t kSlots = 32;

// The width of a group's own input: the embedding of its types, and its features.
std::int64_t OwnWidth(const Sizes& sizes) {
  return sizes.embedding + (sizes.faithful ? kShapeWidth : kGroupFeatureWidth);
}

// Whether a group's adjacency rows are read as they are.
bool ReadsRows(const Sizes& sizes) {
  return sizes.faithful && sizes.has_adjacency_rows();
}

std::int64_t EncoderInput(const Sizes& sizes) {
  return OwnWidth(sizes) + (ReadsRows(sizes) ? 2 * sizes.num_groups : sizes.embedding);
}

std::int64_t DecoderInput(const Sizes& sizes) {
  return sizes.attention + (sizes.faithful ? 0 : sizes.hidden);
}

}  // namespace

Policy::Policy(const Sizes& sizes, Rng& rng)
    : sizes_(sizes),
      type_embedding_(nn::LinearOptions(env::kTypeVocabulary, sizes.embedding).bias(false)),
      surroundings_(
          nn::LinearOptions(2 * (sizes.has_adjacency_rows() ? sizes.num_groups : OwnWidth(sizes)),
                            sizes.embedding)
              .bias(false)),
      encoder_(nn::LSTMOptions(EncoderInput(sizes), sizes.hidden).batch_first(true)),
      decoder_(nn::LSTMOptions(DecoderInput(sizes), sizes.hidden).batch_first(true)),
      key_(nn::LinearOptions(sizes.hidden, sizes.attention).bias(false)),
      query_(sizes.hidden, sizes.attention),
      score_(nn::LinearOptions(sizes.attention, 1).bias(false)),
      head_(2 * sizes.hidden, sizes.faithful ? sizes.num_devices : sizes.attention),
      choice_(sizes.faithful ? sizes.num_devices + 1 : 1, sizes.attention),
      device_embedding_(static_cast<std::int64_t>(env::kNumDeviceFeatures), sizes.attention),
      slot_(kSlots, sizes.attention) {
  RegisterAll();
  InitialiseWeights(*this, rng);
}

void Policy::RegisterAll() {
  register_module("type_embedding", type_embedding_);
  if (!ReadsRows(sizes_)) {
    register_module("surroundings", surroundings_);
  }
  register_module("encoder", encoder_);
  register_module("decoder", decoder_);
  register_module("choice", choice_);
  register_module("key", key_);
  register_module("query", query_);
  register_module("score", score_);
  register_module("head", head_);
  if (!sizes_.faithful) {
    register_module("device_embedding", device_embedding_);
    register_module("slot", slot_);
  }
}

// `own` [G, embedding + features] → [G, embedding], or [G, 2 G]: the adjacency rows.
torch::Tensor Policy::Surroundings(const GroupFeatures& features, const torch::Tensor& own) {
  if (ReadsRows(sizes_)) {
    return features.adjacency;
  }
  if (sizes_.has_adjacency_rows()) {
    return surroundings_(features.adjacency);
  }
  const torch::Tensor means = features.neighbours.matmul(own);  // [2, G, own]
  return surroundings_(torch::cat({means[0], means[1]}, 1));
}

Policy::EncodedGroups Policy::Encode(const GroupFeatures& features) {
  const torch::Tensor own =  // [G, embedding + features]
      torch::cat({type_embedding_(features.type_share), features.x}, 1);
  const torch::Tensor inputs = torch::cat({own, Surroundings(features, own)}, 1);
  auto [encodings, last] = encoder_(inputs.unsqueeze(0));
  EncodedGroups encoded{.encodings = encodings.squeeze(0),
                        .keys = {},
                        .choices = choice_->weight,
                        .device_keys = {},
                        .state = std::move(last),
                        .num_devices = features.device_mask.size(1)};
  encoded.keys = key_(encoded.encodings);
  if (!sizes_.faithful) {
    const torch::Tensor devices =  // [D, attention]
        device_embedding_(features.device_x) + slot_(features.device_slot.remainder(kSlots));
    encoded.choices = torch::cat({torch::tanh(devices), choice_->weight}, 0);
    encoded.device_keys = torch::layer_norm(devices, {sizes_.attention}) /
                          std::sqrt(static_cast<double>(sizes_.attention));
  }
  return encoded;
}

// `states` [K, S, hidden] of S steps → [K, S, D].
torch::Tensor Policy::Logits(const torch::Tensor& states, const EncodedGroups& encoded) {
  const torch::Tensor query = query_(states).unsqueeze(2);  // [K, S, 1, attention]
  const torch::Tensor weights =                             // [K, S, G]
      torch::softmax(score_(torch::tanh(query + encoded.keys)).squeeze(3), 2);
  const torch::Tensor context = weights.matmul(encoded.encodings);  // [K, S, hidden]
  torch::Tensor logits = head_(torch::cat({states, context}, 2));
  if (!sizes_.faithful) {
    logits = logits.matmul(encoded.device_keys.t());
  }
  return sizes_.tanh_constant * torch::tanh(logits / sizes_.temperature);
}

std::tuple<torch::Tensor, torch::Tensor> Policy::BeginOf(const EncodedGroups& encoded,
                                                         std::int64_t num_samples) const {
  const auto begin = [&](const torch::Tensor& last) {
    return sizes_.faithful ? last.expand({1, num_samples, sizes_.hidden}).contiguous()
                           : last.new_zeros({1, num_samples, sizes_.hidden});
  };
  return {begin(std::get<0>(encoded.state)), begin(std::get<1>(encoded.state))};
}

torch::Tensor Policy::Inputs(const EncodedGroups& encoded,
                             const torch::Tensor& previous,
                             std::int64_t first) const {
  const std::int64_t num_samples = previous.size(0);
  const std::int64_t num_steps = previous.size(1);
  const torch::Tensor choices =  // [K, S, attention]
      encoded.choices.index_select(0, previous.flatten())
          .view({num_samples, num_steps, sizes_.attention});
  if (sizes_.faithful) {
    return choices;
  }
  const torch::Tensor placed =  // [S, hidden]: the groups that are placed
      encoded.encodings.slice(0, first, first + num_steps);
  return torch::cat({choices, placed.expand({num_samples, num_steps, sizes_.hidden})}, 2);
}

SampledPlacements Policy::Sample(const GroupFeatures& features,
                                 std::int64_t num_samples,
                                 Rng& rng) {
  const torch::NoGradGuard no_grad;
  const EncodedGroups encoded = Encode(features);
  torch::Tensor previous =  // [K]
      features.device_slot.new_full({num_samples}, encoded.num_devices);
  std::tuple<torch::Tensor, torch::Tensor> state = BeginOf(encoded, num_samples);
  std::vector<torch::Tensor> chosen;
  std::vector<torch::Tensor> log_probs;  // [K] each
  for (std::int64_t group = 0; group < encoded.encodings.size(0); ++group) {
    auto [output, next] =  // [K, 1, hidden]
        decoder_(Inputs(encoded, previous.unsqueeze(1), group), state);
    state = std::move(next);
    const torch::Tensor choices =  // [K, D]
        MaskedLogProbs(Logits(output, encoded).squeeze(1), features.device_mask[group]);
    previous = SampleChoices(choices, rng);
    log_probs.push_back(choices.gather(1, previous.unsqueeze(1)).squeeze(1));
    chosen.push_back(previous);
  }
  SampledPlacements sampled{
      .devices = torch::stack(chosen, 1),
      .log_probs = {},
      .decisions = {.log_probs = torch::stack(log_probs, 1),
                    .has_choice = HasChoice(features.device_mask).expand({num_samples, -1})}};
  sampled.log_probs = sampled.decisions.log_probs.sum(1);
  return sampled;
}

PlacementLogProbs Policy::EvaluateActions(const GroupFeatures& features,
                                          const torch::Tensor& devices) {
  const std::int64_t num_samples = devices.size(0);
  const EncodedGroups encoded = Encode(features);
  const torch::Tensor go = devices.new_full({num_samples, 1}, encoded.num_devices);  // [K, 1]
  const torch::Tensor previous =                                                     // [K, G]
      torch::cat({go, devices.slice(1, 0, devices.size(1) - 1)}, 1);
  const torch::Tensor states =  // [K, G, hidden]
      std::get<0>(decoder_(Inputs(encoded, previous, 0), BeginOf(encoded, num_samples)));
  const torch::Tensor choices =  // [K, G, D]
      MaskedLogProbs(Logits(states, encoded), features.device_mask);
  const torch::Tensor chosen = choices.gather(2, devices.unsqueeze(2)).squeeze(2);  // [K, G]
  return {.log_probs = chosen.sum(1),
          .decision_log_probs = chosen,
          .entropy = Entropy(choices).mean(1)};
}

}  // namespace opyard::agents::reinforce_lstm
