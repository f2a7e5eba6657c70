#include "env/reward.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "env/baseline_plans.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/engine/run/workspace.h"

namespace opyard::env {
namespace {

struct RewardName {
  RewardKind kind;
  const char* name;
};

constexpr std::array<RewardName, 6> kRewardNames = {{{RewardKind::kSqrt, "sqrt"},
                                                     {RewardKind::kLinear, "linear"},
                                                     {RewardKind::kLog, "log"},
                                                     {RewardKind::kLogSpeedup, "log_speedup"},
                                                     {RewardKind::kImprovement, "improvement"},
                                                     {RewardKind::kShaped, "shaped"}}};

// The smallest score that counts as one: one picosecond in seconds, one byte, or a share of 1e-12.
double LeastScore(const Objective& objective) {
  return objective.kind == ObjectiveKind::kPeakMemory ? 1.0 : 1e-12;
}

double ScoreOfBounds(const Problem& problem) {
  const ObjectiveScale scale = problem.objective_scale();
  const sim::SimResult bounds{.outcome = sim::Outcome::kCompleted,
                              .makespan = scale.reference_makespan,
                              .peak_memory = scale.largest_capacity};
  return Score(problem.objective(), scale, bounds);
}

Reference AtLeastOneUnit(const Problem& problem, Reference reference) {
  reference.makespan = std::max(reference.makespan, SimTime{1});
  reference.score = std::max(reference.score, LeastScore(problem.objective()));
  return reference;
}

}  // namespace

bool RewardsEachStep(RewardKind kind) {
  return kind == RewardKind::kImprovement || kind == RewardKind::kShaped;
}

RewardKind RewardKindOf(const std::string& name) {
  const auto named = std::ranges::find(kRewardNames, name, &RewardName::name);
  if (named != kRewardNames.end()) {
    return named->kind;
  }
  std::vector<std::string> names;
  std::ranges::transform(kRewardNames, std::back_inserter(names), &RewardName::name);
  throw InputError("reward: found " + Quoted(name) + ", expected one of " + JoinNames(names));
}

const char* NameOf(RewardKind kind) {
  return std::ranges::find(kRewardNames, kind, &RewardName::kind)->name;
}

double RatioOf(const Evaluation& evaluation, double reference_score) {
  OPYARD_CHECK(reference_score > 0.0, "a ratio needs a reference");
  return evaluation.is_feasible() ? evaluation.score / reference_score : kFailureRatio;
}

double Reward(RewardKind kind, const Evaluation& evaluation, double reference_score) {
  OPYARD_CHECK(!RewardsEachStep(kind), "this reward needs the plan before");
  const double ratio = RatioOf(evaluation, reference_score);
  if (!evaluation.is_feasible()) {
    return kFailureReward;
  }
  switch (kind) {
    case RewardKind::kSqrt:
      return -std::sqrt(ratio);
    case RewardKind::kLinear:
      return -ratio;
    case RewardKind::kLog:
      return -std::log1p(ratio);
    default:
      return -std::log(ratio);
  }
}

double StepReward(RewardKind kind,
                  double ratio_before,
                  const Evaluation& evaluation,
                  double reference_score) {
  switch (kind) {
    case RewardKind::kImprovement:
      return ratio_before - RatioOf(evaluation, reference_score);
    case RewardKind::kShaped:
      return std::sqrt(ratio_before) - std::sqrt(RatioOf(evaluation, reference_score));
    default:
      return Reward(kind, evaluation, reference_score);
  }
}

Reference FindReference(const Problem& problem) {
  const std::optional<Reference>& known = problem.spec().reference;
  return known.has_value() ? AtLeastOneUnit(problem, *known)
                           : FindReference(problem, BaselinePlans(problem));
}

Reference FindReference(const Problem& problem, std::span<const sim::Plan> candidates) {
  sim::Workspace workspace;
  std::optional<Reference> best;
  for (const sim::Plan& plan : candidates) {
    const Evaluation evaluation = EvaluateUncounted(problem, plan, workspace);
    if (evaluation.is_feasible()) {
      best = best.value_or(
          Reference{.makespan = evaluation.result.makespan, .score = evaluation.score});
      best->makespan = std::min(best->makespan, evaluation.result.makespan);
      best->score = std::min(best->score, evaluation.score);
    }
  }
  return AtLeastOneUnit(
      problem,
      best.value_or(Reference{.makespan = problem.objective_scale().reference_makespan,
                              .score = ScoreOfBounds(problem)}));
}

SimTime ReferenceMakespan(const Problem& problem, std::span<const sim::Plan> candidates) {
  return FindReference(problem, candidates).makespan;
}

}  // namespace opyard::env
