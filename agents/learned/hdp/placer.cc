#include "agents/learned/hdp/placer.h"

#include "agents/learned/common/reinforce.h"

namespace opyard::agents {

namespace nn = torch::nn;

namespace {

// The gates of LibTorch's LSTM stand one after the other: input, forget, cell, output.
void OpenForgetGate(const torch::Tensor& bias) {
  const std::int64_t width = bias.size(0) / 4;
  bias.slice(0, width, 2 * width).fill_(1.0);
}

// The last states of both directions, [2, K, half], side by side: [1, K, 2 half].
torch::Tensor SideBySide(const torch::Tensor& states) {
  return torch::cat({states[0], states[1]}, 1).unsqueeze(0);
}

}  // namespace

Placer::Placer(const HdpSizes& sizes)
    : sizes_(sizes),
      half_(sizes.hidden / 2),
      encoder_(nn::LSTMOptions(GroupWidth(sizes.num_groups), half_)
                   .batch_first(true)
                   .bidirectional(true)),
      decoder_(nn::LSTMOptions(sizes.embedding + (sizes.faithful ? 0 : 2 * half_), 2 * half_)
                   .batch_first(true)),
      choice_(sizes.num_devices + 1, sizes.embedding),
      key_(nn::LinearOptions(2 * half_, sizes.embedding).bias(false)),
      query_(nn::LinearOptions(2 * half_, sizes.embedding).bias(false)),
      score_(nn::LinearOptions(sizes.embedding, 1).bias(false)),
      head_((sizes.attention ? 4 : 2) * half_, sizes.num_devices),
      row_(sizes.num_groups, sizes.num_devices) {
  if (sizes_.placer == PlacerKind::kFlat) {
    register_module("row", row_);
    return;
  }
  RegisterSequence();
}

void Placer::RegisterSequence() {
  register_module("encoder", encoder_);
  register_module("decoder", decoder_);
  register_module("choice", choice_);
  register_module("head", head_);
  if (sizes_.attention) {
    register_module("key", key_);
    register_module("query", query_);
    register_module("score", score_);
  }
}

void Placer::OpenForgetGates() {
  const torch::NoGradGuard no_grad;
  for (const auto& item : named_parameters()) {
    if (item.key().find("bias_ih") != std::string::npos) {
      OpenForgetGate(item.value());
    }
  }
}

Placer::Scene Placer::Encode(const GroupedGraph& graph) {
  auto [encodings, last] = encoder_(graph.x);
  Scene scene{.encodings = encodings,
              .keys = {},
              .state = {SideBySide(std::get<0>(last)), SideBySide(std::get<1>(last))}};
  if (sizes_.attention) {
    scene.keys = key_(scene.encodings).unsqueeze(1);
  }
  return scene;
}

torch::Tensor Placer::Inputs(const Scene& scene,
                             const torch::Tensor& previous,
                             std::int64_t first) {
  const torch::Tensor choices = choice_(previous);  // [K, S, embedding]
  if (sizes_.faithful) {
    return choices;
  }
  return torch::cat({choices, scene.encodings.slice(1, first, first + previous.size(1))}, 2);
}

torch::Tensor Placer::Limited(const torch::Tensor& logits) const {
  return sizes_.tanh_constant * torch::tanh(logits / sizes_.temperature);
}

torch::Tensor Placer::Logits(const torch::Tensor& states, const Scene& scene) {
  if (!sizes_.attention) {
    return Limited(head_(states));
  }
  const torch::Tensor query = query_(states).unsqueeze(2);  // [K, S, 1, embedding]
  const torch::Tensor weights =                             // [K, S, G]
      torch::softmax(score_(torch::tanh(query + scene.keys)).squeeze(3), 2);
  const torch::Tensor context = weights.matmul(scene.encodings);  // [K, S, hidden]
  return Limited(head_(torch::cat({states, context}, 2)));
}

SampledDevices Placer::SampleFlat(const GroupedGraph& graph, Rng& rng) {
  const torch::Tensor choices =  // [K, G, D]
      MaskedLogProbs(Limited(row_->weight), graph.device_mask);
  const torch::Tensor devices =  // [K, G]
      SampleChoices(choices.flatten(0, 1), rng).view({choices.size(0), choices.size(1)});
  return {.devices = devices, .log_probs = choices.gather(2, devices.unsqueeze(2)).squeeze(2)};
}

SampledDevices Placer::Sample(const GroupedGraph& graph, Rng& rng) {
  const torch::NoGradGuard no_grad;
  if (sizes_.placer == PlacerKind::kFlat) {
    return SampleFlat(graph, rng);
  }
  const std::int64_t num_samples = graph.x.size(0);
  Scene scene = Encode(graph);
  torch::Tensor previous =  // [K]
      torch::full({num_samples}, sizes_.num_devices, graph.x.options().dtype(torch::kLong));
  std::vector<torch::Tensor> chosen;
  std::vector<torch::Tensor> log_probs;  // [K] each
  for (std::int64_t group = 0; group < graph.x.size(1); ++group) {
    auto [output, next] =  // [K, 1, hidden]
        decoder_(Inputs(scene, previous.unsqueeze(1), group), scene.state);
    scene.state = std::move(next);
    const torch::Tensor choices =  // [K, D]
        MaskedLogProbs(Logits(output, scene).squeeze(1), graph.device_mask.select(1, group));
    previous = SampleChoices(choices, rng);
    log_probs.push_back(choices.gather(1, previous.unsqueeze(1)).squeeze(1));
    chosen.push_back(previous);
  }
  return {.devices = torch::stack(chosen, 1), .log_probs = torch::stack(log_probs, 1)};
}

JudgedDevices Placer::Judge(const GroupedGraph& graph, const torch::Tensor& devices) {
  torch::Tensor logits = row_->weight;  // [G, D] of a flat placer, else [K, G, D]
  if (sizes_.placer == PlacerKind::kFlat) {
    logits = Limited(logits);
  } else {
    const Scene scene = Encode(graph);
    const torch::Tensor go =  // [K, 1]
        devices.new_full({devices.size(0), 1}, sizes_.num_devices);
    const torch::Tensor previous =  // [K, G]
        torch::cat({go, devices.slice(1, 0, devices.size(1) - 1)}, 1);
    const torch::Tensor states =  // [K, G, hidden]
        std::get<0>(decoder_(Inputs(scene, previous, 0), scene.state));
    logits = Logits(states, scene);
  }
  const torch::Tensor choices = MaskedLogProbs(logits, graph.device_mask);  // [K, G, D]
  const torch::Tensor used = graph.is_used.to(torch::kFloat);               // [K, G]
  return {.log_probs = choices.gather(2, devices.unsqueeze(2)).squeeze(2),
          .entropy = (Entropy(choices) * used).sum(1) / used.sum(1)};
}

}  // namespace opyard::agents
