#include "agents/learned/common/reinforce.h"

#include <cmath>
#include <numeric>

namespace opyard::agents {
namespace {

constexpr double kForbidden = -1e9;

}  // namespace

torch::Tensor MaskedLogProbs(const torch::Tensor& logits, const torch::Tensor& mask) {
  return torch::log_softmax(logits.masked_fill(mask.logical_not(), kForbidden), -1);
}

torch::Tensor Entropy(const torch::Tensor& log_probs) {
  return -(log_probs.exp() * log_probs).sum(-1);
}

torch::Tensor SampleChoices(const torch::Tensor& log_probs, Rng& rng) {
  const torch::Tensor probs = log_probs.to(torch::kDouble).exp();           // [K, D]
  torch::Tensor choices = torch::empty({log_probs.size(0)}, torch::kLong);  // [K]
  const auto cell = probs.accessor<double, 2>();
  auto choice = choices.accessor<std::int64_t, 1>();
  for (std::int64_t row = 0; row < log_probs.size(0); ++row) {
    const double drawn = rng.Uniform() * probs[row].sum().item<double>();
    // The last choice with a probability stands in where rounding leaves nothing above `drawn`.
    double below = 0.0;
    for (std::int64_t i = 0; i < log_probs.size(1); ++i) {
      if (cell[row][i] <= 0.0) {
        continue;
      }
      choice[row] = i;
      below += cell[row][i];
      if (drawn < below) {
        break;
      }
    }
  }
  return choices;
}

torch::Tensor ReinforceLoss(const torch::Tensor& log_probs, const torch::Tensor& advantages) {
  return -(advantages * log_probs).mean();
}

void Normalise(std::span<double> advantages) {
  double squares = 0.0;
  for (const double advantage : advantages) {
    squares += advantage * advantage;
  }
  const double rms = std::sqrt(squares / static_cast<double>(advantages.size()));
  if (rms < 1e-9) {
    return;
  }
  for (double& advantage : advantages) {
    advantage /= rms;
  }
}

void InitialiseWeights(torch::nn::Module& module, Rng& rng) {
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : module.parameters()) {
    if (parameter.dim() < 2) {
      parameter.zero_();
      continue;
    }
    // Glorot and Bengio 2010, eq. 16.
    const double bound =
        std::sqrt(6.0 / static_cast<double>(parameter.size(0) + parameter.size(1)));
    std::vector<float> values(static_cast<std::size_t>(parameter.numel()));
    for (float& value : values) {
      value = static_cast<float>(bound * (2.0 * rng.Uniform() - 1.0));
    }
    parameter.copy_(torch::tensor(values).view_as(parameter));
  }
}

void RewardBaseline::Move(std::span<const double> rewards_of_completed) {
  if (rewards_of_completed.empty()) {
    return;
  }
  const double mean =
      std::accumulate(rewards_of_completed.begin(), rewards_of_completed.end(), 0.0) /
      static_cast<double>(rewards_of_completed.size());
  value_ = value_.has_value() ? decay_ * *value_ + (1.0 - decay_) * mean : mean;
}

}  // namespace opyard::agents
