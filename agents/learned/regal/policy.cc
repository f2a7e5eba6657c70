#include "agents/learned/regal/policy.h"

#include <string>

#include "agents/learned/common/reinforce.h"
#include "env/observation.h"

namespace opyard::agents {
namespace {

namespace nn = torch::nn;

// An even distribution over [0, 1]: its variance, 1/12, is a third of the greatest, 1/4.
constexpr double kEvenMean = 0.5;
constexpr double kEvenVariance = 1.0 / 3.0;

OpEncoderSizes EncoderSizes(const RegalSizes& sizes) {
  return {.type_embedding = sizes.type_embedding, .hidden = sizes.hidden, .rounds = sizes.rounds};
}

// [bins].
torch::Tensor Middles(std::int64_t num_bins) {
  return (torch::arange(num_bins) + 0.5) / static_cast<double>(num_bins);
}

torch::Tensor PriorOf(const RegalSizes& sizes) {
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

}  // namespace

RegalPolicy::Head RegalPolicy::MakeHead(const std::string& name, std::int64_t choices) {
  return {.inner = register_module(name + "_inner", nn::Linear(sizes_.hidden, sizes_.hidden)),
          .outer = register_module(name + "_outer", nn::Linear(sizes_.hidden, choices))};
}

RegalPolicy::RegalPolicy(const RegalSizes& sizes, Rng& rng)
    : sizes_(sizes),
      groups_(3 * sizes.hidden, sizes.hidden),
      devices_(nn::LinearOptions(static_cast<std::int64_t>(env::kNumDeviceFeatures), sizes.hidden)
                   .bias(false)),
      affinity_(MakeHead("affinity", 2 * sizes.bins)),
      priority_(MakeHead("priority", 2 * sizes.bins)),
      elite_bias_(MakeHead("learned_bias", sizes.bins)),
      prior_(register_buffer("prior", PriorOf(sizes))) {
  if (sizes.network == RegalNetwork::kMessages) {
    messages_ = register_module("messages", std::make_shared<MessageEncoder>(EncoderSizes(sizes)));
  } else {
    sequence_ = register_module("sequence", std::make_shared<SequenceEncoder>(EncoderSizes(sizes)));
  }
  register_module("groups", groups_);
  register_module("devices", devices_);
  InitialiseWeights(*this, rng);
  const torch::NoGradGuard no_grad;
  for (Head* head : {&affinity_, &priority_, &elite_bias_}) {
    head->outer->weight.zero_();
  }
}

torch::Tensor RegalPolicy::Groups(const RegalView& view, const torch::Tensor& ops) {
  const torch::Tensor members = Gather(ops.unsqueeze(0), view.ops_of_groups);  // [1, N, hidden]
  const torch::Tensor mean =                                                   // [G, hidden]
      Scatter(members, view.ops_of_groups, Aggregation::kMean).squeeze(0);
  const torch::Tensor most = Scatter(members, view.ops_of_groups, Aggregation::kMax).squeeze(0);
  const torch::Tensor graph = ops.mean(0, /*keepdim=*/true).expand_as(mean);  // [G, hidden]
  return torch::relu(groups_(torch::cat({mean, most, graph}, 1)));
}

torch::Tensor RegalPolicy::Forward(const RegalView& view) {
  const torch::Tensor ops =  // [N, hidden]
      messages_ != nullptr ? messages_->Forward(view.graph)
                           : sequence_->Forward(view.graph, view.order);
  const torch::Tensor groups = Groups(view, ops);  // [G, hidden]
  std::vector<torch::Tensor> columns;              // [G, columns, 2 bins] each
  if (view.proposes_devices) {
    const torch::Tensor inner =  // [G, D, hidden]
        torch::relu(affinity_.inner(groups).unsqueeze(1) + devices_(view.devices.x));
    columns.push_back(affinity_.outer(Differences(inner, 1)));
  }
  if (view.proposes_priorities) {
    const torch::Tensor inner = torch::relu(priority_.inner(groups));  // [G, hidden]
    columns.push_back(priority_.outer(Differences(inner, 0)).unsqueeze(1));
  }
  std::vector<torch::Tensor> logits;  // [decisions, bins] each
  if (!columns.empty()) {
    const torch::Tensor all = torch::cat(columns, 1);  // [G, C, 2 bins]
    logits.push_back((all.view({-1, 2, sizes_.bins}) + prior_).flatten(0, 1));
  }
  if (sizes_.learned_bias) {
    const torch::Tensor graph = groups.mean(0, /*keepdim=*/true);  // [1, hidden]
    logits.push_back(elite_bias_.outer(torch::relu(elite_bias_.inner(graph))));
  }
  return logits.empty() ? torch::zeros({0, sizes_.bins}, groups.options())
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

}  // namespace opyard::agents
