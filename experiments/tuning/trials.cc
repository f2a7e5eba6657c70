#include "experiments/tuning/trials.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <variant>

#include "sim/base/rng.h"

namespace opyard::experiments {
namespace {

double ToFourDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

OptionValue Sample(const TunedParam& param, bool is_whole, Rng& rng) {
  const double share = rng.Uniform();
  const double value =
      param.is_log
          ? std::exp(std::log(param.low) + share * (std::log(param.high) - std::log(param.low)))
          : param.low + share * (param.high - param.low);
  if (is_whole) {
    return static_cast<std::int64_t>(std::llround(value));
  }
  return std::clamp(ToFourDigits(value), param.low, param.high);
}

bool IsWhole(const agents::AgentInfo& agent, const std::string& name) {
  return std::ranges::any_of(agent.options, [&](const agents::OptionInfo& option) {
    return option.name == name && std::holds_alternative<std::int64_t>(option.default_value);
  });
}

double Improvement(const std::optional<double>& reference, const std::optional<double>& score) {
  if (!reference.has_value() || !score.has_value()) {
    return static_cast<double>(score.has_value()) - static_cast<double>(reference.has_value());
  }
  return *reference == *score ? 0.0 : std::clamp(1.0 - *score / *reference, -1.0, 1.0);
}

}  // namespace

std::vector<Options> SampleTrials(const TuningConfig& tuning,
                                  const agents::AgentInfo& agent,
                                  const Options& given,
                                  std::uint64_t seed) {
  std::vector<Options> trials = {given};
  for (std::int64_t trial = 1; trial < tuning.trials; ++trial) {
    Rng rng = Rng(seed).Fork(static_cast<std::uint64_t>(trial));
    trials.push_back(given);
    for (const TunedParam& param : tuning.space) {
      trials.back().Set(param.name, Sample(param, IsWhole(agent, param.name), rng));
    }
  }
  return trials;
}

std::vector<TuningRound> RoundsOf(const TuningConfig& tuning, std::size_t num_problems) {
  const auto shrink = static_cast<std::size_t>(tuning.shrink);
  TuningRound round{
      .num_trials = static_cast<std::size_t>(tuning.trials),
      .num_problems = std::min(static_cast<std::size_t>(tuning.first_problems), num_problems)};
  std::vector<TuningRound> rounds;
  while (round.num_trials > 1) {
    rounds.push_back(round);
    round.num_trials = (round.num_trials + shrink - 1) / shrink;
    round.num_problems = std::min(round.num_problems * shrink, num_problems);
  }
  return rounds;
}

double MeanImprovement(const TrialScores& scores, std::size_t trial, std::size_t num_problems) {
  double sum = 0.0;
  for (std::size_t problem = 0; problem < num_problems; ++problem) {
    sum += Improvement(scores.at({.trial = 0, .problem = problem}),
                       scores.at({.trial = trial, .problem = problem}));
  }
  return sum / static_cast<double>(num_problems);
}

std::vector<std::size_t> Ranked(const TrialScores& scores,
                                std::vector<std::size_t> trials,
                                std::size_t num_problems) {
  std::ranges::sort(trials);
  std::ranges::stable_sort(trials, std::ranges::greater{}, [&](std::size_t trial) {
    return MeanImprovement(scores, trial, num_problems);
  });
  return trials;
}

}  // namespace opyard::experiments
