#include "agents/learned/hdp/policy.h"

#include "agents/learned/common/reinforce.h"

namespace opyard::agents {
namespace {

// Where all groups are equally likely, int64 [U].
torch::Tensor RandomGroups(const HdpSizes& sizes, Rng& rng) {
  const torch::Tensor even = torch::zeros({sizes.num_units, sizes.num_groups});  // [U, G]
  return SampleChoices(torch::log_softmax(even, 1), rng);
}

// What belongs to the decisions of the units, [K, U], and to those of the groups, [K, G].
torch::Tensor SideBySide(const torch::Tensor& of_units, const torch::Tensor& of_groups) {
  return torch::cat({of_units, of_groups}, 1);
}

}  // namespace

HdpPolicy::HdpPolicy(const HdpSizes& sizes, Rng& rng) : sizes_(sizes) {
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

SampledPlans HdpPolicy::Sample(const OpFeatures& features, std::int64_t num_samples, Rng& rng) {
  const torch::NoGradGuard no_grad;
  SampledPlans plans;
  torch::Tensor of_units = features.x.new_zeros({num_samples, 0});  // [K, U], if the grouper learns
  if (grouper_ == nullptr) {
    plans.groups = random_groups_.expand({num_samples, -1});
  } else {
    const torch::Tensor choices = grouper_->LogProbs(features);  // [U, G]
    plans.groups = SampleChoices(choices, num_samples, rng);
    of_units = choices.gather(1, plans.groups.t()).t();
  }
  const GroupedGraph graph = MakeGroupedGraph(features, plans.groups, sizes_.num_groups);
  const SampledDevices placed = placer_->Sample(graph, rng);
  plans.devices = placed.devices;
  plans.decisions = {
      .log_probs = SideBySide(of_units, placed.log_probs),
      .has_choice = SideBySide(torch::full_like(of_units, sizes_.num_groups > 1, torch::kBool),
                               HasChoice(graph.device_mask))};
  plans.log_probs = plans.decisions.log_probs.sum(1);
  return plans;
}

JudgedPlans HdpPolicy::Judge(const OpFeatures& features,
                             const torch::Tensor& groups,
                             const torch::Tensor& devices) {
  const JudgedDevices placed =
      placer_->Judge(MakeGroupedGraph(features, groups, sizes_.num_groups), devices);
  if (grouper_ == nullptr) {
    return {.log_probs = placed.log_probs.sum(1),
            .decision_log_probs = placed.log_probs,
            .entropy = placed.entropy.mean(),
            .group_entropy = placed.entropy.new_zeros({})};
  }
  const torch::Tensor choices = grouper_->LogProbs(features);        // [U, G]
  const torch::Tensor of_units = choices.gather(1, groups.t()).t();  // [K, U]
  return {.log_probs = placed.log_probs.sum(1) + of_units.sum(1),
          .decision_log_probs = SideBySide(of_units, placed.log_probs),
          .entropy = placed.entropy.mean(),
          .group_entropy = Entropy(choices).mean()};
}

}  // namespace opyard::agents
