#include "agents/learned/coloc_rl/policy.h"

#include "agents/learned/common/reinforce.h"

namespace opyard::agents {

namespace nn = torch::nn;

ColocRlPolicy::ColocRlPolicy(const ColocRlSizes& sizes, Rng& rng)
    : sizes_(sizes),
      type_embedding_(nn::LinearOptions(env::kTypeVocabulary, sizes.embedding).bias(false)),
      adjacency_(nn::LinearOptions(2 * sizes.num_groups, sizes.embedding).bias(false)),
      encoder_(nn::LSTMOptions(2 * sizes.embedding + kGroupFeatureWidth, sizes.hidden)
                   .batch_first(true)),
      decoder_(nn::LSTMOptions(sizes.attention + sizes.hidden, sizes.hidden).batch_first(true)),
      previous_device_(sizes.num_devices + 1, sizes.attention),
      key_(nn::LinearOptions(sizes.hidden, sizes.attention).bias(false)),
      query_(sizes.hidden, sizes.attention),
      score_(nn::LinearOptions(sizes.attention, 1).bias(false)),
      head_(2 * sizes.hidden, sizes.num_devices) {
  register_module("type_embedding", type_embedding_);
  register_module("adjacency", adjacency_);
  register_module("encoder", encoder_);
  register_module("decoder", decoder_);
  register_module("previous_device", previous_device_);
  register_module("key", key_);
  register_module("query", query_);
  register_module("score", score_);
  register_module("head", head_);
  InitialiseWeights(*this, rng);
}

torch::Tensor ColocRlPolicy::Encode(const GroupFeatures& features) {
  const torch::Tensor inputs =
      torch::cat({type_embedding_(features.type_share), features.x, adjacency_(features.adjacency)},
                 1);                                             // [G, 2 embedding + 25]
  return std::get<0>(encoder_(inputs.unsqueeze(0))).squeeze(0);  // [G, hidden]
}

// `states` [K, S, hidden] of S steps, `encodings` [G, hidden], `keys` [G, attention] → [K, S, D].
torch::Tensor ColocRlPolicy::Logits(const torch::Tensor& states,
                                    const torch::Tensor& encodings,
                                    const torch::Tensor& keys) {
  const torch::Tensor query = query_(states).unsqueeze(2);  // [K, S, 1, attention]
  const torch::Tensor weights =                             // [K, S, G]
      torch::softmax(score_(torch::tanh(query + keys)).squeeze(3), 2);
  const torch::Tensor context = weights.matmul(encodings);               // [K, S, hidden]
  const torch::Tensor logits = head_(torch::cat({states, context}, 2));  // [K, S, D]
  return sizes_.tanh_constant * torch::tanh(logits / sizes_.temperature);
}

SampledPlacements ColocRlPolicy::Sample(const GroupFeatures& features,
                                        std::int64_t num_samples,
                                        Rng& rng) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor encodings = Encode(features);  // [G, hidden]
  const torch::Tensor keys = key_(encodings);        // [G, attention]
  torch::Tensor previous = torch::full({num_samples}, sizes_.num_devices, torch::kLong);  // [K]
  torch::Tensor log_probs = torch::zeros({num_samples});                                  // [K]
  std::tuple<torch::Tensor, torch::Tensor> state(  // 2 × [1, K, hidden]
      torch::zeros({1, num_samples, sizes_.hidden}),
      torch::zeros({1, num_samples, sizes_.hidden}));
  std::vector<torch::Tensor> chosen;
  for (std::int64_t group = 0; group < sizes_.num_groups; ++group) {
    const torch::Tensor input =  // [K, 1, attention + hidden]
        torch::cat(
            {previous_device_(previous), encodings[group].expand({num_samples, sizes_.hidden})}, 1)
            .unsqueeze(1);
    auto [output, next] = decoder_(input, state);  // [K, 1, hidden]
    state = std::move(next);
    const torch::Tensor choices = MaskedLogProbs(  // [K, D]
        Logits(output, encodings, keys).squeeze(1),
        features.device_mask[group]);
    previous = SampleChoices(choices, rng);
    log_probs += choices.gather(1, previous.unsqueeze(1)).squeeze(1);
    chosen.push_back(previous);
  }
  return {.devices = torch::stack(chosen, 1), .log_probs = log_probs};
}

JudgedPlacements ColocRlPolicy::Judge(const GroupFeatures& features, const torch::Tensor& devices) {
  const std::int64_t num_samples = devices.size(0);
  const torch::Tensor encodings = Encode(features);  // [G, hidden]
  const torch::Tensor go =                           // [K, 1]
      torch::full({num_samples, 1}, sizes_.num_devices, torch::kLong);
  const torch::Tensor previous =  // [K, G]
      torch::cat({go, devices.slice(1, 0, sizes_.num_groups - 1)}, 1);
  const torch::Tensor inputs =  // [K, G, attention + hidden]
      torch::cat({previous_device_(previous),
                  encodings.expand({num_samples, sizes_.num_groups, sizes_.hidden})},
                 2);
  const torch::Tensor states = std::get<0>(decoder_(inputs));  // [K, G, hidden]
  const torch::Tensor choices = MaskedLogProbs(                // [K, G, D]
      Logits(states, encodings, key_(encodings)),
      features.device_mask);
  return {.log_probs = choices.gather(2, devices.unsqueeze(2)).squeeze(2).sum(1),
          .entropy = Entropy(choices).mean(1)};
}

}  // namespace opyard::agents
