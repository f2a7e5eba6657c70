#include "agents/planning/local_search/operator_selection.h"

namespace opyard::agents {
namespace {

constexpr double kFloor = 0.2;
constexpr double kFading = 0.998;  // a trial counts for half after 350 more
constexpr double kPrior = 20.0;    // trials at the common rate that each kind is given
// The prior of the common rate before the first trial: so little that it is soon forgotten.
constexpr double kFirstTrials = 1.0;
constexpr double kFirstSuccesses = 0.1;

}  // namespace

OperatorSelection::OperatorSelection(std::vector<double> shares) {
  for (const double share : shares) {
    kinds_.push_back({.share = share});
  }
}

std::vector<double> OperatorSelection::Probabilities() const {
  double trials = kFirstTrials;
  double successes = kFirstSuccesses;
  double share_sum = 0.0;
  for (const Kind& kind : kinds_) {
    trials += kind.num_trials;
    successes += kind.num_successes;
    share_sum += kind.share;
  }
  const double common = successes / trials;
  std::vector<double> weights;
  double weight_sum = 0.0;
  for (const Kind& kind : kinds_) {
    weights.push_back(kind.share * (kind.num_successes + kPrior * common) /
                      (kind.num_trials + kPrior));
    weight_sum += weights.back();
  }
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    weights[i] = kFloor * kinds_[i].share / share_sum + (1.0 - kFloor) * weights[i] / weight_sum;
  }
  return weights;
}

std::size_t OperatorSelection::Sample(Rng& rng) const {
  const std::vector<double> probabilities = Probabilities();
  double sample = rng.Uniform();
  std::size_t last = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] > 0.0) {
      last = i;
      sample -= probabilities[i];
      if (sample < 0.0) {
        return i;
      }
    }
  }
  return last;
}

void OperatorSelection::Learn(std::size_t kind, bool has_paid) {
  for (Kind& each : kinds_) {
    each.num_trials *= kFading;
    each.num_successes *= kFading;
  }
  kinds_[kind].num_trials += 1.0;
  kinds_[kind].num_successes += has_paid ? 1.0 : 0.0;
}

}  // namespace opyard::agents
