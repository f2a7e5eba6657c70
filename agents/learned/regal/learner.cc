#include "agents/learned/regal/learner.h"

#include <string>
#include <utility>
#include <vector>

#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/size_table.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"
#include "sim/base/error.h"

namespace opyard::agents::regal {
namespace {

const char* AgentOf(Network network) {
  return network == Network::kMessages ? "regal" : "gas";
}

SizeTable<Sizes> TableOfSizes() {
  return SizeTable<Sizes>({{.name = "type_embedding", .field = CountField(&Sizes::type_embedding)},
                           {.name = "hidden", .field = CountField(&Sizes::hidden)},
                           {.name = "rounds", .field = CountField(&Sizes::rounds)},
                           {.name = "bins", .field = CountField(&Sizes::bins)},
                           {.name = "genes", .field = WordField(&Sizes::genes, 3)},
                           {.name = "features", .field = WordField(&Sizes::features, 2)},
                           {.name = "learned_bias", .field = FlagField(&Sizes::learned_bias)},
                           {.name = "spread", .field = NumberField(&Sizes::spread)}});
}

// The log-probabilities of `bins`, [K, decisions], of `log_probs`, [decisions, bins].
torch::Tensor LogProbsOf(const torch::Tensor& log_probs, const torch::Tensor& bins) {
  return log_probs.gather(1, bins.t()).t();
}

// The mean over those that have a choice, [..., decisions] → [...].
torch::Tensor MeanOfChoices(const torch::Tensor& values, const torch::Tensor& has_choice) {
  return (values * has_choice).sum(-1) / has_choice.sum().clamp_min(1);
}

}  // namespace

Learner::Learner(const TrainingOptions& options, const Sizes& sizes, Rng& rng, torch::Device device)
    : options_(options),
      policy_(MakePolicy<Policy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))) {}

SampledProposals Learner::Sample(const View& view, std::int64_t num_samples, Rng& rng) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor log_probs = policy_->Forward(view);                 // [decisions, bins]
  const torch::Tensor bins = SampleChoices(log_probs, num_samples, rng);  // [K, decisions]
  return {.bins = bins,
          .decisions = {.log_probs = LogProbsOf(log_probs, bins),
                        .has_choice = view.has_choice.expand_as(bins)}};
}

torch::Tensor Learner::Propose(const View& view, Rng& rng) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor log_probs = policy_->Forward(view);
  switch (options_.proposal) {
    case ProposalRule::kSampled:
      return MiddlesOf(SampleChoices(log_probs, rng), log_probs.size(1));
    case ProposalRule::kLikeliest:
      return MiddlesOf(log_probs.argmax(1), log_probs.size(1));
    case ProposalRule::kExpected:
      break;
  }
  return ExpectedMiddles(log_probs);
}

MinibatchEvaluation Learner::EvaluateMinibatch(const View& view,
                                               const SampledProposals& proposals,
                                               const torch::Tensor& plans) {
  const torch::Tensor log_probs = policy_->Forward(view);  // [decisions, bins]
  const torch::Tensor of_decisions =                       // [S, decisions]
      LogProbsOf(log_probs, proposals.bins.index_select(0, plans));
  const torch::Tensor entropy = MeanOfChoices(Entropy(log_probs), view.has_choice);  // []
  // The mean over decisions: their sum would make the steps of large graphs larger.
  return {.log_probs = MeanOfChoices(of_decisions, view.has_choice),
          .decision_log_probs = of_decisions,
          .entropy = entropy,
          .entropy_bonus = entropy};
}

UpdateReport Learner::Learn(const View& view,
                            const SampledProposals& proposals,
                            const ProposalRewards& rewards,
                            double entropy_weight,
                            Rng& rng) {
  UpdateReport report{.num_completed = std::ssize(rewards.rewards),
                      .rewards = rewards.rewards,
                      .entropy_weight = entropy_weight};
  std::vector<double> advantages = rewards.advantages;
  Normalise(advantages);
  torch::Tensor weights = torch::tensor(advantages, proposals.decisions.log_probs.options());
  if (options_.rule.algorithm == Algorithm::kPpo) {  // whose decisions are added up
    weights = weights / view.has_choice.sum().clamp_min(1);
  }
  LearnBy(
      options_.rule,
      {.sampled = proposals.decisions,
       .advantages = weights,
       .evaluate_actions =
           [&](const torch::Tensor& plans) { return EvaluateMinibatch(view, proposals, plans); },
       .gradient_step =
           [&](const torch::Tensor& loss) {
             return GradientStep(loss, *policy_, *optimiser_, options_.max_grad_norm);
           }},
      rng,
      report);
  return report;
}

Checkpoint Learner::ToWeights() const {
  return WeightsOf(
      AgentOf(policy_->sizes().network), TableOfSizes().Write(policy_->sizes()), *policy_);
}

Checkpoint Learner::ToState() const {
  Checkpoint state = ToWeights();
  AddOptimiser(*policy_, *optimiser_, state);
  return state;
}

void Learner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

void Learner::TakeState(const Checkpoint& found) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
}

Sizes SizesOf(const Checkpoint& weights, Network network, const std::filesystem::path& path) {
  RequireAgent(weights, AgentOf(network), env::kFeatureVersion, path);
  const Sizes sizes = TableOfSizes().Read(weights, path, {.network = network});
  if (sizes.hidden < 2 || sizes.bins < 2 || sizes.type_embedding < 1) {
    throw InputError(path.string() + ": config: found widths of " + std::to_string(sizes.hidden) +
                     ", " + std::to_string(sizes.bins) + " and " +
                     std::to_string(sizes.type_embedding) + ", expected 2, 2 and 1 at least");
  }
  return sizes;
}

}  // namespace opyard::agents::regal
