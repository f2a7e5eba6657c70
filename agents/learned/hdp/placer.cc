#include "agents/learned/hdp/placer.h"

#include <utility>
#include <vector>

#include "agents/learned/common/reinforce.h"

namespace opyard::agents::hdp {

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

// The width of the context that attention adds to the decoder's state.
std::int64_t ContextWidth(const Sizes& sizes) {
  if (!sizes.attention) {
    return 0;
  }
  return sizes.faithful ? sizes.embedding : 2 * (sizes.hidden / 2);
}

// The backward half of `encodings`, [K, G, 2 half], in the order in which it was computed.
torch::Tensor InOrderOfReading(const torch::Tensor& encodings, std::int64_t half) {
  const torch::Tensor backwards = torch::arange(  // places, the last one first
      encodings.size(1) - 1,
      -1,
      -1,
      encodings.options().dtype(torch::kLong));
  return torch::cat(
      {encodings.slice(2, 0, half), encodings.slice(2, half).index_select(1, backwards)}, 2);
}

// log softmax of `logits` [..., D] with the noise `normal`, if there is any, under `mask`.
torch::Tensor NoisyLogProbs(const torch::Tensor& logits,
                            const torch::Tensor& normal,
                            double relative_std,
                            const torch::Tensor& mask) {
  return MaskedLogProbs(normal.defined() ? WithNoise(logits, normal, relative_std, {-1}) : logits,
                        mask);
}

// `replayed` [K] where `mask` [K, D] allows it, elsewhere the first device that it allows.
torch::Tensor Replay(const torch::Tensor& replayed, const torch::Tensor& mask) {
  const torch::Tensor is_allowed = mask.gather(1, replayed.unsqueeze(1)).squeeze(1);  // [K]
  return torch::where(is_allowed, replayed, mask.to(torch::kLong).argmax(1));
}

}  // namespace

Placer::Placer(const Sizes& sizes)
    : sizes_(sizes),
      half_(sizes.hidden / 2),
      choice_(sizes.num_devices + 1, sizes.embedding),
      key_(nn::LinearOptions(2 * half_, sizes.embedding).bias(false)),
      query_(nn::LinearOptions(2 * half_, sizes.embedding).bias(false)),
      score_(nn::LinearOptions(sizes.embedding, 1).bias(false)),
      head_(nn::LinearOptions(2 * half_ + ContextWidth(sizes), sizes.num_devices)
                .bias(!sizes.faithful)),
      row_(sizes.num_groups, sizes.num_devices) {
  if (sizes_.placer == PlacerKind::kFlat) {
    register_module("row", row_);
    return;
  }
  RegisterSequence();
}

void Placer::RegisterSequence() {
  const std::int64_t width = GroupWidth(sizes_.num_groups);
  if (sizes_.faithful) {
    published_encoder_ =
        register_module("encoder", std::make_shared<ForgetBiasLstm>(width, half_, true));
    published_decoder_ = register_module(
        "decoder", std::make_shared<ForgetBiasLstm>(sizes_.embedding, 2 * half_, false));
  } else {
    encoder_ = register_module(
        "encoder", nn::LSTM(nn::LSTMOptions(width, half_).batch_first(true).bidirectional(true)));
    decoder_ = register_module(
        "decoder",
        nn::LSTM(nn::LSTMOptions(sizes_.embedding + 2 * half_, 2 * half_).batch_first(true)));
  }
  register_module("choice", choice_);
  register_module("head", head_);
  if (sizes_.attention) {
    register_module("key", key_);
    register_module("query", query_);
    register_module("score", score_);
  }
}

void Placer::OpenForgetGates() {
  if (published_encoder_ != nullptr) {
    published_encoder_->OpenForgetGates();
    published_decoder_->OpenForgetGates();
    return;
  }
  const torch::NoGradGuard no_grad;
  for (const auto& item : named_parameters()) {
    if (item.key().find("bias_ih") != std::string::npos) {
      OpenForgetGate(item.value());
    }
  }
}

std::tuple<torch::Tensor, ForgetBiasLstm::State> Placer::RunEncoder(const torch::Tensor& x) {
  return sizes_.faithful ? published_encoder_->forward(x) : encoder_->forward(x);
}

std::tuple<torch::Tensor, ForgetBiasLstm::State> Placer::RunDecoder(
    const torch::Tensor& inputs, const ForgetBiasLstm::State& begin) {
  return sizes_.faithful ? published_decoder_->forward(inputs, begin)
                         : decoder_->forward(inputs, begin);
}

Placer::PolicyInput Placer::Encode(const GroupedGraph& graph) {
  auto [encodings, last] = RunEncoder(graph.x);
  PolicyInput input{.encodings = encodings,
                    .attended = encodings,
                    .keys = {},
                    .state = {SideBySide(std::get<0>(last)), SideBySide(std::get<1>(last))}};
  if (!sizes_.attention) {
    return input;
  }
  if (sizes_.faithful) {
    input.attended = key_(InOrderOfReading(encodings, half_));
    input.keys = input.attended.unsqueeze(1);
  } else {
    input.keys = key_(input.encodings).unsqueeze(1);
  }
  return input;
}

torch::Tensor Placer::Inputs(const PolicyInput& input,
                             const torch::Tensor& previous,
                             std::int64_t first) {
  const torch::Tensor choices = choice_(previous);  // [K, S, embedding]
  if (sizes_.faithful) {
    return choices;
  }
  return torch::cat({choices, input.encodings.slice(1, first, first + previous.size(1))}, 2);
}

torch::Tensor Placer::Limited(const torch::Tensor& logits) const {
  return sizes_.tanh_constant * torch::tanh(logits / sizes_.temperature);
}

torch::Tensor Placer::Logits(const torch::Tensor& states, const PolicyInput& input) {
  if (!sizes_.attention) {
    return Limited(head_(states));
  }
  const torch::Tensor query = query_(states).unsqueeze(2);  // [K, S, 1, embedding]
  const torch::Tensor weights =                             // [K, S, G]
      torch::softmax(score_(torch::tanh(query + input.keys)).squeeze(3), 2);
  const torch::Tensor context = weights.matmul(input.attended);  // [K, S, …]
  return Limited(head_(torch::cat({states, context}, 2)));
}

torch::Tensor Placer::FlatLogits(const GroupedGraph& graph) const {
  return Limited(row_->weight).expand({graph.x.size(0), -1, -1});
}

SampledDevices Placer::Sample(const GroupedGraph& graph,
                              const LogitNoise& noise,
                              const torch::Tensor& replayed,
                              Rng& rng) {
  const torch::NoGradGuard no_grad;
  const bool is_flat = sizes_.placer == PlacerKind::kFlat;
  PolicyInput input = is_flat ? PolicyInput{} : Encode(graph);
  const torch::Tensor flat = is_flat ? FlatLogits(graph) : torch::Tensor();
  torch::Tensor previous =  // [K]
      torch::full({graph.x.size(0)}, sizes_.num_devices, graph.x.options().dtype(torch::kLong));
  std::vector<torch::Tensor> chosen;
  std::vector<torch::Tensor> log_probs;  // [K] each
  for (std::int64_t group = 0; group < graph.x.size(1); ++group) {
    torch::Tensor logits;  // [K, D]
    if (is_flat) {
      logits = flat.select(1, group);
    } else {
      auto [output, next] =  // [K, 1, hidden]
          RunDecoder(Inputs(input, previous.unsqueeze(1), group), input.state);
      input.state = std::move(next);
      logits = Logits(output, input).squeeze(1);
    }
    const torch::Tensor mask = graph.device_mask.select(1, group);  // [K, D]
    const torch::Tensor choices =                                   // [K, D]
        NoisyLogProbs(logits,
                      noise.is_on() ? noise.devices.select(1, group) : torch::Tensor(),
                      noise.relative_std,
                      mask);
    previous =
        replayed.defined() ? Replay(replayed.select(1, group), mask) : SampleChoices(choices, rng);
    log_probs.push_back(choices.gather(1, previous.unsqueeze(1)).squeeze(1));
    chosen.push_back(previous);
  }
  return {.devices = torch::stack(chosen, 1), .log_probs = torch::stack(log_probs, 1)};
}

DeviceLogProbs Placer::EvaluateActions(const GroupedGraph& graph,
                                       const torch::Tensor& devices,
                                       const LogitNoise& noise) {
  torch::Tensor logits;  // [K, G, D]
  if (sizes_.placer == PlacerKind::kFlat) {
    logits = FlatLogits(graph);
  } else {
    const PolicyInput input = Encode(graph);
    const torch::Tensor go =  // [K, 1]
        devices.new_full({devices.size(0), 1}, sizes_.num_devices);
    const torch::Tensor previous =  // [K, G]
        torch::cat({go, devices.slice(1, 0, devices.size(1) - 1)}, 1);
    const torch::Tensor states =  // [K, G, hidden]
        std::get<0>(RunDecoder(Inputs(input, previous, 0), input.state));
    logits = Logits(states, input);
  }
  const torch::Tensor choices =  // [K, G, D]
      NoisyLogProbs(logits, noise.devices, noise.relative_std, graph.device_mask);
  const torch::Tensor used = graph.is_used.to(torch::kFloat);  // [K, G]
  return {.log_probs = choices.gather(2, devices.unsqueeze(2)).squeeze(2),
          .entropy = (Entropy(choices) * used).sum(1) / used.sum(1)};
}

}  // namespace opyard::agents::hdp
