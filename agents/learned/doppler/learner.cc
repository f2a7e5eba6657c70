#include "agents/learned/doppler/learner.h"

#include <algorithm>
#include <cmath>

#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/size_table.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"

namespace opyard::agents::doppler {
namespace {

constexpr const char* kAgent = "doppler";
// The most elements of PlaceBatch::on_device, [R, D, N], in one backward pass: 16 MB.
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 22;

SizeTable<Sizes> TableOfSizes() {
  return SizeTable<Sizes>({{.name = "faithful", .field = FlagField(&Sizes::faithful)},
                           {.name = "hidden", .field = CountField(&Sizes::hidden)},
                           {.name = "head", .field = CountField(&Sizes::head)},
                           {.name = "rounds", .field = CountField(&Sizes::rounds)}});
}

// The losses and entropies of R decisions of one policy, [R] each.
struct PolicyLoss {
  torch::Tensor loss;
  torch::Tensor entropy;
};

// `log_probs` and `by_teacher` are [R, choices], the latter 1 for each choice that the teacher
// holds best; `chosen` are the choices made and `weights` the factors of their log-probabilities,
// [R].
PolicyLoss LossOfPolicy(const torch::Tensor& log_probs,
                        const torch::Tensor& chosen,
                        const torch::Tensor& by_teacher,
                        const torch::Tensor& weights,
                        const UpdateTargets& targets) {
  const torch::Tensor entropy = Entropy(log_probs);  // [R]
  torch::Tensor loss =                               // [R]
      -weights * log_probs.gather(1, chosen.unsqueeze(1)).squeeze(1) -
      targets.entropy_weight * entropy;
  if (targets.imitation_weight > 0.0) {
    loss = loss - targets.imitation_weight * (by_teacher * log_probs).sum(1);
  }
  return {.loss = loss, .entropy = entropy};
}

// The factor of the log-probability of each decision: advantage · discount^(N − 1 − t),
// [episodes · N].
std::vector<float> WeightsOf(std::span<const double> advantages,
                             double discount,
                             std::int64_t num_nodes) {
  std::vector<float> weights;
  for (const double advantage : advantages) {
    for (std::int64_t step = 0; step < num_nodes; ++step) {
      const auto later = static_cast<double>(num_nodes - 1 - step);
      weights.push_back(static_cast<float>(advantage * std::pow(discount, later)));
    }
  }
  return weights;
}

// Copies of the tensors of `input` as leaves, at which a backward pass ends.
PolicyInput Detached(const PolicyInput& input) {
  const auto leaf = [](const torch::Tensor& tensor) { return tensor.detach().requires_grad_(); };
  return {.select_nodes = leaf(input.select_nodes),
          .bottom_paths = leaf(input.bottom_paths),
          .top_paths = leaf(input.top_paths),
          .place_nodes = leaf(input.place_nodes),
          .place_columns = leaf(input.place_columns)};
}

// Continues the backward pass from the gradients of `leaves` into the networks that made `input`.
void BackwardThrough(const PolicyInput& input, const PolicyInput& leaves) {
  std::vector<torch::Tensor> tensors;
  std::vector<torch::Tensor> gradients;
  const std::vector<torch::Tensor> all = input.tensors();
  const std::vector<torch::Tensor> ends = leaves.tensors();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (ends[i].grad().defined()) {
      tensors.push_back(all[i]);
      gradients.push_back(ends[i].grad());
    }
  }
  if (!tensors.empty()) {
    torch::autograd::backward(tensors, gradients);
  }
}

}  // namespace

Learner::Learner(const TrainingOptions& options, const Sizes& sizes, Rng& rng, torch::Device device)
    : options_(options),
      policy_(MakePolicy<Policy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))) {}

torch::Tensor Learner::LossOf(const View& view,
                              const PolicyInput& input,
                              std::span<const Episode> episodes,
                              std::span<const double> advantages,
                              const UpdateTargets& targets,
                              Loss& total) {
  const EpisodeBatch batch = MakeEpisodeBatch(view, episodes);
  const torch::Tensor weights =  // [R]
      torch::tensor(WeightsOf(advantages, targets.discount, view.graph.num_nodes))
          .to(view.node_x.options());
  const double share = 0.5 / (static_cast<double>(targets.advantages.size()) *
                              static_cast<double>(view.graph.num_nodes));
  torch::Tensor loss = torch::zeros({}, weights.options());  // a scalar
  const auto add = [&](const PolicyLoss& part) {
    loss = loss + share * part.loss.sum();
    total.entropy += share * part.entropy.sum().item<double>();
  };
  if (options_.select == Chooser::kPolicy) {
    add(LossOfPolicy(policy_->SelectLogProbs(view, input, batch.select),
                     batch.column,
                     batch.is_critical,
                     weights,
                     targets));
  }
  if (options_.place == Chooser::kPolicy) {
    add(LossOfPolicy(policy_->PlaceLogProbs(view, input, batch.place),
                     batch.device,
                     batch.is_earliest,
                     weights,
                     targets));
  }
  return loss;
}

Loss Learner::ComputeGradient(const View& view,
                              std::span<const Episode> episodes,
                              const UpdateTargets& targets) {
  policy_->zero_grad();
  const PolicyInput input = policy_->PolicyInputOf(view);
  const PolicyInput leaves = Detached(input);
  const std::int64_t numbers = view.graph.num_nodes * view.graph.num_nodes * view.graph.num_devices;
  const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(kMostNumbers / numbers, 1));
  const std::span<const double> advantages(targets.advantages);
  Loss total;
  for (std::size_t first = 0; first < episodes.size(); first += at_once) {
    const std::size_t count = std::min(at_once, episodes.size() - first);
    const torch::Tensor loss = LossOf(view,
                                      leaves,
                                      episodes.subspan(first, count),
                                      advantages.subspan(first, count),
                                      targets,
                                      total);
    if (loss.requires_grad()) {
      loss.backward();
    }
    total.loss += loss.item<double>();
  }
  BackwardThrough(input, leaves);
  return total;
}

double Learner::Step(double learning_rate) {
  SetLearningRate(*optimiser_, learning_rate);
  return ClipAndStep(*policy_, *optimiser_, options_.max_grad_norm);
}

Checkpoint Learner::ToWeights() const {
  return agents::WeightsOf(kAgent, TableOfSizes().Write(policy_->sizes()), *policy_);
}

Checkpoint Learner::ToState() const {
  Checkpoint checkpoint = ToWeights();
  AddOptimiser(*policy_, *optimiser_, checkpoint);
  return checkpoint;
}

void Learner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

void Learner::TakeState(const Checkpoint& found) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
}

Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  return TableOfSizes().Read(weights, path);
}

}  // namespace opyard::agents::doppler
