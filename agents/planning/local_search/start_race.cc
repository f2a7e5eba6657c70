#include "agents/planning/local_search/start_race.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "env/budget.h"

namespace opyard::agents {
namespace {

// The best `most` that differ in their placements, the best first.
std::vector<EvaluatedPlan> BestOf(std::vector<EvaluatedPlan> starts, std::size_t most) {
  std::ranges::stable_sort(starts, {}, &EvaluatedPlan::fitness);
  std::vector<EvaluatedPlan> best;
  for (EvaluatedPlan& start : starts) {
    const bool is_known = std::ranges::any_of(best, [&](const EvaluatedPlan& other) {
      return other.plan.placement == start.plan.placement;
    });
    if (!is_known && best.size() < most) {
      best.push_back(std::move(start));
    }
  }
  return best;
}

// Halvings of `count` until one is left; at least 1.
int NumRounds(std::size_t count) {
  return std::max(1, static_cast<int>(std::bit_width(std::max<std::size_t>(1, count) - 1)));
}

// The number of starts that are improved in the first round; at most 1: there is no race.
std::size_t NumRacers(std::size_t num_starts,
                      const env::Evaluator& evaluator,
                      const RaceOptions& options) {
  const env::Budget& budget = evaluator.options().budget;
  if (!budget.evaluations.has_value()) {
    return budget.seconds.has_value() ? num_starts : 0;
  }
  const double evaluations =
      options.share * static_cast<double>(evaluator.EvaluationsLeft(*budget.evaluations));
  const auto has_enough = [&](std::size_t count) {
    return evaluations >= static_cast<double>(options.least_evaluations) *
                              static_cast<double>(count) * NumRounds(count);
  };
  while (num_starts > 1 && !has_enough(num_starts)) {
    num_starts = (num_starts + 1) / 2;
  }
  return num_starts;
}

}  // namespace

std::vector<EvaluatedPlan> RaceStarts(std::vector<EvaluatedPlan> starts,
                                      const env::Evaluator& evaluator,
                                      const RaceOptions& options,
                                      const Improve& improve) {
  std::vector<EvaluatedPlan> states = BestOf(std::move(starts), options.num_starts);
  std::size_t alive = NumRacers(states.size(), evaluator, options);
  const double share_of_round =
      (1.0 - evaluator.UsedShare()) * options.share / static_cast<double>(NumRounds(alive));
  for (; alive > 1; alive = (alive + 1) / 2) {
    const std::span<EvaluatedPlan> racing(states.data(), alive);
    for (EvaluatedPlan& state : racing) {
      const double until = evaluator.UsedShare() + share_of_round / static_cast<double>(alive);
      state = improve(std::move(state), until);
    }
    std::ranges::stable_sort(racing, {}, &EvaluatedPlan::fitness);
  }
  std::ranges::stable_sort(states, {}, &EvaluatedPlan::fitness);
  return states;
}

}  // namespace opyard::agents
