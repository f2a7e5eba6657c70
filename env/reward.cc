#include "env/reward.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "env/baseline_plans.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/engine/run/workspace.h"

namespace opyard::env {
namespace {

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

RewardKind RewardKindOf(const std::string& name) {
  if (name == "sqrt") {
    return RewardKind::kSqrt;
  }
  if (name == "linear") {
    return RewardKind::kLinear;
  }
  if (name == "log") {
    return RewardKind::kLog;
  }
  throw InputError("reward: found " + Quoted(name) + ", expected one of sqrt, linear, log");
}

const char* NameOf(RewardKind kind) {
  switch (kind) {
    case RewardKind::kSqrt:
      return "sqrt";
    case RewardKind::kLinear:
      return "linear";
    case RewardKind::kLog:
      break;
  }
  return "log";
}

double Reward(RewardKind kind, const Evaluation& evaluation, double reference_score) {
  OPYARD_CHECK(reference_score > 0.0, "a ratio needs a reference");
  if (!evaluation.is_feasible()) {
    return kFailureReward;
  }
  const double ratio = evaluation.score / reference_score;
  switch (kind) {
    case RewardKind::kSqrt:
      return -std::sqrt(ratio);
    case RewardKind::kLinear:
      return -ratio;
    case RewardKind::kLog:
      break;
  }
  return -std::log1p(ratio);
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
