#include "agents/learned/hdp/policy.h"

#include "agents/learned/common/reinforce.h"

namespace opyard::agents::hdp {
namespace {

// Where all groups are equally likely, int64 [U].
torch::Tensor RandomGroups(const Sizes& sizes, Rng& rng) {
  const torch::Tensor even = torch::zeros({sizes.num_units, sizes.num_groups});  // [U, G]
  return SampleChoices(torch::log_softmax(even, 1), rng);
}

// Values of the decisions of the units, [K, U], then of those of the groups, [K, G].
torch::Tensor SideBySide(const torch::Tensor& of_units, const torch::Tensor& of_groups) {
  return torch::cat({of_units, of_groups}, 1);
}

// One group per unit from `log_probs`, [U, G] or, with noise, [K, U, G]: int64 [K, U].
torch::Tensor SampleGroups(const torch::Tensor& log_probs, std::int64_t num_samples, Rng& rng) {
  if (log_probs.dim() == 2) {
    return SampleChoices(log_probs, num_samples, rng);
  }
  return SampleChoices(log_probs.flatten(0, 1), rng).view({num_samples, log_probs.size(1)});
}

// The log-probabilities of `groups`, int64 [K, U], under `log_probs`, as above: [K, U].
torch::Tensor OfGroups(const torch::Tensor& log_probs, const torch::Tensor& groups) {
  if (log_probs.dim() == 2) {
    return log_probs.gather(1, groups.t()).t();
  }
  return log_probs.gather(2, groups.unsqueeze(2)).squeeze(2);
}

}  // namespace

Policy::Policy(const Sizes& sizes, Rng& rng) : sizes_(sizes) {
  if (sizes_.grouper == GrouperKind::kLearned) {
    grouper_ = register_module("grouper", std::make_shared<Grouper>(sizes));
  }
  placer_ = register_module("placer", std::make_shared<Placer>(sizes));
  InitialiseWeights(*this, rng);
  placer_->OpenForgetGates();
  if (sizes_.grouper == GrouperKind::kRandom) {
    // A parameter that is not learnt, so that files of weights hold it.
    random_groups_ = register_parameter("groups", RandomGroups(sizes, rng), false);
  }
}

LogitNoise Policy::SampleNoise(const OpFeatures& features,
                               std::int64_t num_samples,
                               double relative_std,
                               Rng& rng) const {
  LogitNoise noise{.relative_std = relative_std, .groups = {}, .devices = {}};
  if (!noise.is_on()) {
    return noise;
  }
  const torch::Device device = features.x.device();
  if (grouper_ != nullptr) {
    noise.groups =
        StandardNormal({num_samples, features.x.size(0), sizes_.num_groups}, rng).to(device);
  }
  noise.devices =
      StandardNormal({num_samples, sizes_.num_groups, sizes_.num_devices}, rng).to(device);
  return noise;
}

torch::Tensor Policy::GroupLogProbs(const OpFeatures& features, const LogitNoise& noise) {
  if (!noise.is_on()) {
    return grouper_->LogProbs(features);
  }
  const torch::Tensor logits = grouper_->Logits(features);  // [U, G]
  return torch::log_softmax(WithNoise(logits, noise.groups, noise.relative_std, {0, 1}), 2);
}

SampledPlans Policy::Sample(const OpFeatures& features,
                            std::int64_t num_samples,
                            Rng& rng,
                            const Sampling& sampling) {
  const torch::NoGradGuard no_grad;
  SampledPlans plans;
  plans.noise = SampleNoise(features, num_samples, sampling.noise_std, rng);
  torch::Tensor of_units = features.x.new_zeros({num_samples, 0});  // [K, U], if the grouper learns
  if (grouper_ == nullptr) {
    plans.groups = random_groups_.expand({num_samples, -1});
  } else {
    const torch::Tensor choices = GroupLogProbs(features, plans.noise);
    plans.groups = SampleGroups(choices, num_samples, rng);
    of_units = OfGroups(choices, plans.groups);
  }
  const GroupedGraph graph = MakeGroupedGraph(features, plans.groups, sizes_.num_groups);
  const SampledDevices placed = placer_->Sample(graph, plans.noise, sampling.replayed, rng);
  plans.devices = placed.devices;
  plans.decisions = {
      .log_probs = SideBySide(of_units, placed.log_probs),
      .has_choice = SideBySide(torch::full_like(of_units, sizes_.num_groups > 1, torch::kBool),
                               HasChoice(graph.device_mask))};
  plans.log_probs = plans.decisions.log_probs.sum(1);
  return plans;
}

PlanLogProbs Policy::EvaluateActions(const OpFeatures& features,
                                     const torch::Tensor& groups,
                                     const torch::Tensor& devices,
                                     const LogitNoise& noise) {
  const DeviceLogProbs placed = placer_->EvaluateActions(
      MakeGroupedGraph(features, groups, sizes_.num_groups), devices, noise);
  if (grouper_ == nullptr) {
    return {.log_probs = placed.log_probs.sum(1),
            .decision_log_probs = placed.log_probs,
            .entropy = placed.entropy.mean(),
            .group_entropy = placed.entropy.new_zeros({})};
  }
  const torch::Tensor choices = GroupLogProbs(features, noise);  // [U, G] or [K, U, G]
  const torch::Tensor of_units = OfGroups(choices, groups);      // [K, U]
  return {.log_probs = placed.log_probs.sum(1) + of_units.sum(1),
          .decision_log_probs = SideBySide(of_units, placed.log_probs),
          .entropy = placed.entropy.mean(),
          .group_entropy = Entropy(choices).mean()};
}

}  // namespace opyard::agents::hdp
