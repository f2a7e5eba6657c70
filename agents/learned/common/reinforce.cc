#include "agents/learned/common/reinforce.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace opyard::agents {
namespace {

constexpr double kForbidden = -1e9;

}  // namespace

std::int64_t ChoiceAt(std::span<const double> probs, double sampled) {
  std::int64_t choice = 0;
  double below = 0.0;
  for (std::size_t i = 0; i < probs.size(); ++i) {
    if (probs[i] <= 0.0) {
      continue;
    }
    choice = static_cast<std::int64_t>(i);
    below += probs[i];
    if (sampled < below) {
      break;
    }
  }
  return choice;
}

torch::Tensor MaskedLogProbs(const torch::Tensor& logits, const torch::Tensor& mask) {
  return torch::log_softmax(logits.masked_fill(mask.logical_not(), kForbidden), -1);
}

torch::Tensor Sharpened(const torch::Tensor& log_probs, double temperature) {
  return temperature == 1.0 ? log_probs : torch::log_softmax(log_probs / temperature, -1);
}

torch::Tensor Entropy(const torch::Tensor& log_probs) {
  return -(log_probs.exp() * log_probs).sum(-1);
}

torch::Tensor SampleChoices(const torch::Tensor& log_probs, Rng& rng) {
  return SampleChoices(log_probs, 1, rng).squeeze(0);
}

torch::Tensor SampleChoices(const torch::Tensor& log_probs, std::int64_t num_samples, Rng& rng) {
  const std::int64_t num_rows = log_probs.size(0);
  const auto num_choices = static_cast<std::size_t>(log_probs.size(1));
  const torch::Tensor probs =  // [K, D]
      log_probs.to(torch::kCPU, torch::kDouble).exp().contiguous();
  const torch::Tensor totals = probs.sum(1);                                          // [K]
  const torch::Tensor choices = torch::empty({num_samples, num_rows}, torch::kLong);  // [S, K]
  const std::span<const double> all(probs.const_data_ptr<double>(),
                                    static_cast<std::size_t>(probs.numel()));
  const auto total = totals.accessor<double, 1>();
  auto* choice = choices.data_ptr<std::int64_t>();
  for (std::int64_t sample = 0; sample < num_samples; ++sample) {
    for (std::int64_t row = 0; row < num_rows; ++row) {
      *choice++ = ChoiceAt(all.subspan(static_cast<std::size_t>(row) * num_choices, num_choices),
                           rng.Uniform() * total[row]);
    }
  }
  return choices.to(log_probs.device());
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

std::vector<double> RankAdvantages(std::span<const double> rewards) {
  std::vector<double> advantages;
  const auto most = static_cast<double>(std::max<std::ptrdiff_t>(std::ssize(rewards) - 1, 1));
  for (const double reward : rewards) {
    const auto num_below = std::ranges::count_if(rewards, [&](double r) { return r < reward; });
    const auto num_above = std::ranges::count_if(rewards, [&](double r) { return r > reward; });
    advantages.push_back(std::numbers::sqrt3 * static_cast<double>(num_below - num_above) / most);
  }
  return advantages;
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
