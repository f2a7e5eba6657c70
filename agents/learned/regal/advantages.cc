#include "agents/learned/regal/advantages.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>

#include "sim/base/check.h"

namespace opyard::agents::regal {
namespace {

// The probability that each of `size` losses, in ascending order, is the least of `num_sampled`
// that are sampled without replacement, [size].
std::vector<double> LeastProbabilities(std::size_t size, std::size_t num_sampled) {
  std::vector<double> probabilities(size, 0.0);
  // The first is sampled with num_sampled / size; each is the least if it is sampled and none
  // before it.
  double is_least = static_cast<double>(num_sampled) / static_cast<double>(size);
  for (std::size_t i = 0; i + num_sampled <= size; ++i) {
    probabilities[i] = is_least;
    const auto num_behind = static_cast<double>(size - 1 - i);
    is_least *=
        num_behind > 0.0 ? (num_behind - static_cast<double>(num_sampled - 1)) / num_behind : 0.0;
  }
  return probabilities;
}

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// By how much `loss` is expected to be below the least of those that are sampled of `others`, in
// ascending order.
double ExpectedGain(double loss,
                    std::span<const double> others,
                    std::span<const double> least_probabilities) {
  double gain = 0.0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    gain += least_probabilities[i] * std::max(0.0, others[i] - loss);
  }
  return gain;
}

}  // namespace

std::vector<double> OverOthers(std::span<const double> rewards) {
  const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
  const auto num_others = static_cast<double>(rewards.size()) - 1.0;
  std::vector<double> advantages;
  for (const double reward : rewards) {
    advantages.push_back(num_others > 0.0 ? reward - (sum - reward) / num_others : 0.0);
  }
  return advantages;
}

std::vector<double> BestOfAdvantages(std::span<const double> losses,
                                     std::int64_t per_column,
                                     std::int64_t best_of) {
  const auto width = static_cast<std::size_t>(per_column);
  OPYARD_CHECK(losses.size() % width == 0 && losses.size() > width, "two columns at least");
  const std::size_t num_others = losses.size() - width;
  const std::vector<double> probabilities = LeastProbabilities(
      num_others, std::clamp<std::size_t>(static_cast<std::size_t>(best_of) - 1, 1, num_others));
  std::vector<double> advantages;
  for (std::size_t first = 0; first < losses.size(); first += width) {
    std::vector<double> others(losses.begin(), losses.end());
    const auto column = others.begin() + static_cast<std::ptrdiff_t>(first);
    others.erase(column, column + static_cast<std::ptrdiff_t>(width));
    std::ranges::sort(others);
    std::vector<double> credits;
    for (const double loss : losses.subspan(first, width)) {
      credits.push_back(best_of == 1 ? MeanOf(others) - loss
                                     : ExpectedGain(loss, others, probabilities));
    }
    std::ranges::copy(OverOthers(credits), std::back_inserter(advantages));
  }
  return advantages;
}

}  // namespace opyard::agents::regal
