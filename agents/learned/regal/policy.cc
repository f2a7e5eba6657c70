#include "agents/learned/regal/policy.h"

#include <string>
#include <vector>

#include "agents/learned/common/reinforce.h"
#include "env/observation.h"

namespace opyard::agents::regal {
namespace {

namespace nn = torch::nn;

// An even distribution over [0, 1]: its variance, 1/12, is a third of the greatest, 1/4.
constexpr double kEvenMean = 0.5;
constexpr double kEvenVariance = 1.0 / 3.0;

OpEncoderSizes EncoderSizes(const Sizes& sizes) {
  return {.type_embedding = sizes.type_embedding, .hidden = sizes.hidden, .rounds = sizes.rounds};
}

// [bins].
torch::Tensor Middles(std::int64_t num_bins) {
  return (torch::arange(num_bins) + 0.5) / static_cast<double>(num_bins);
}

torch::Tensor PriorOf(const Sizes& sizes) {
  if (sizes.spread == 0.0) {
    return torch::zeros({2, sizes.bins});
  }
  const torch::Tensor middles = Middles(sizes.bins);
  const auto about = [&](double centre) {
    return -0.5 * ((middles - centre) / sizes.spread).square();
  };
  return torch::stack({about(kEvenMean), about(kEvenVariance)});  // [2, bins]
}

// `values`, [..., hidden], less their mean over dimension `along`, each unit with a root mean
// square of 1 over all: 0 where they are all equal along it.
torch::Tensor Differences(const torch::Tensor& values, std::int64_t along) {
  const torch::Tensor centred = values - values.mean(along, /*keepdim=*/true);
  const torch::Tensor size = centred.flatten(0, -2).square().mean(0).add(1e-6).sqrt();  // [hidden]
  return centred / size;
}

nn::Linear OfDevices(std::int64_t hidden) {
  return nn::Linear(
      nn::LinearOptions(static_cast<std::int64_t>(env::kNumDeviceFeatures), hidden).bias(false));
}

// The means over the ops of each group, [N, width] → [G, width]. The outer matrix of a head is
// linear, so that its logits of these are the means of its logits.
torch::Tensor MeansOfGroups(const torch::Tensor& values, const View& view) {
  const torch::Tensor members = Gather(values.unsqueeze(0), view.ops_of_groups);  // [1, N, width]
  return Scatter(members, view.ops_of_groups, Aggregation::kMean).squeeze(0);
}

}  // namespace

Policy::Head Policy::MakeHead(const std::string& name, std::int64_t choices) {
  return {.inner = register_module(name + "_inner", nn::Linear(sizes_.hidden, sizes_.hidden)),
          .outer = register_module(name + "_outer", nn::Linear(sizes_.hidden, choices))};
}

Policy::Policy(const Sizes& sizes, Rng& rng)
    : sizes_(sizes),
      ops_(register_module("ops", nn::Linear(2 * sizes.hidden, sizes.hidden))),
      prior_(register_buffer("prior", PriorOf(sizes))) {
  if (sizes.network == Network::kMessages) {
    messages_ = register_module("messages", std::make_shared<MessageEncoder>(EncoderSizes(sizes)));
  } else {
    sequence_ = register_module("sequence", std::make_shared<SequenceEncoder>(EncoderSizes(sizes)));
  }
  if (sizes.genes != Genes::kScheduling) {
    devices_ = register_module("devices", OfDevices(sizes.hidden));
    affinity_ = MakeHead("affinity", 2 * sizes.bins);
  }
  if (sizes.genes != Genes::kPlacement) {
    priority_ = MakeHead("priority", 2 * sizes.bins);
  }
  if (sizes.learned_bias) {
    elite_bias_ = MakeHead("learned_bias", sizes.bins);
  }
  InitialiseWeights(*this, rng);
  const torch::NoGradGuard no_grad;
  for (Head* head : {&affinity_, &priority_, &elite_bias_}) {
    if (!head->outer.is_empty()) {
      head->outer->weight.zero_();
    }
  }
}

torch::Tensor Policy::AffinityLogits(const View& view, const torch::Tensor& ops) {
  const torch::Tensor inner =  // [N, D, hidden]
      torch::relu(affinity_.inner(ops).unsqueeze(1) + devices_(view.devices.x));
  const torch::Tensor pooled = MeansOfGroups(Differences(inner, 1).flatten(1), view);
  return affinity_.outer(pooled.view({view.num_groups, view.num_devices(), sizes_.hidden}));
}

torch::Tensor Policy::PriorityLogits(const View& view, const torch::Tensor& ops) {
  const torch::Tensor inner = torch::relu(priority_.inner(ops));  // [N, hidden]
  return priority_.outer(MeansOfGroups(Differences(inner, 0), view)).unsqueeze(1);
}

torch::Tensor Policy::Forward(const View& view) {
  const torch::Tensor encoded =  // [N, hidden]
      messages_ != nullptr ? messages_->Forward(view.graph)
                           : sequence_->Forward(view.graph, view.order);
  const torch::Tensor graph = encoded.mean(0, /*keepdim=*/true);  // [1, hidden]
  const torch::Tensor ops =                                       // [N, hidden]
      torch::relu(ops_(torch::cat({encoded, graph.expand_as(encoded)}, 1)));
  std::vector<torch::Tensor> columns;  // [G, columns, 2 bins] each
  if (view.proposes_devices) {
    columns.push_back(AffinityLogits(view, ops));
  }
  if (view.proposes_priorities) {
    columns.push_back(PriorityLogits(view, ops));
  }
  std::vector<torch::Tensor> logits;  // [decisions, bins] each
  if (!columns.empty()) {
    const torch::Tensor all = torch::cat(columns, 1);  // [G, C, 2 bins]
    logits.push_back((all.view({-1, 2, sizes_.bins}) + prior_).flatten(0, 1));
  }
  if (sizes_.learned_bias) {
    logits.push_back(
        elite_bias_.outer(torch::relu(elite_bias_.inner(ops.mean(0, /*keepdim=*/true)))));
  }
  return logits.empty() ? torch::zeros({0, sizes_.bins}, ops.options())
                        : torch::log_softmax(torch::cat(logits, 0), -1);
}

torch::Tensor MiddlesOf(const torch::Tensor& bins, std::int64_t num_bins) {
  return (bins.to(torch::kCPU, torch::kDouble) + 0.5) / static_cast<double>(num_bins);
}

torch::Tensor ExpectedMiddles(const torch::Tensor& log_probs) {
  const std::int64_t num_bins = log_probs.size(-1);
  const torch::Tensor probs = log_probs.to(torch::kCPU, torch::kDouble).exp();
  return probs.matmul(MiddlesOf(torch::arange(num_bins), num_bins));
}

}  // namespace opyard::agents::regal
