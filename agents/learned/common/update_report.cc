#include "agents/learned/common/update_report.h"

#include <algorithm>
#include <numeric>

#include "env/reward.h"

namespace opyard::agents {

std::vector<double> Advantages(std::span<const env::Evaluation> evaluations,
                               double reference_score,
                               bool ignores_failures,
                               RewardBaseline& baseline,
                               UpdateReport& report) {
  return Advantages(evaluations,
                    reference_score,
                    {.failure_updates = ignores_failures ? 0 : 1},
                    /*num_updates=*/0,
                    baseline,
                    report);
}

std::vector<double> Advantages(std::span<const env::Evaluation> evaluations,
                               double reference_score,
                               const BaselineRule& rule,
                               std::int64_t num_updates,
                               RewardBaseline& baseline,
                               UpdateReport& report) {
  const bool ignores_failures = num_updates >= rule.failure_updates;
  std::vector<double> completed;
  for (const env::Evaluation& evaluation : evaluations) {
    report.rewards.push_back(env::Reward(env::RewardKind::kSqrt, evaluation, reference_score));
    if (evaluation.is_feasible()) {
      completed.push_back(report.rewards.back());
    }
  }
  report.num_completed = std::ssize(completed);
  if (!baseline.value().has_value()) {
    if (rule.start == BaselineStart::kFailure) {
      baseline.set_value(env::kFailureReward);
    } else {
      baseline.Move(completed);
    }
  }
  report.baseline = baseline.value();
  // Without any completed plan there is nothing that a failure could be worse than.
  const double compared_with = baseline.value().value_or(env::kFailureReward);
  std::vector<double> advantages;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const bool is_ignored = ignores_failures && !evaluations[i].is_feasible();
    advantages.push_back(is_ignored ? 0.0 : report.rewards[i] - compared_with);
  }
  baseline.Move(rule.includes_failures && !ignores_failures ? report.rewards : completed);
  return advantages;
}

TrainingPoint PointOf(const UpdateReport& report) {
  // An update that imitates alone has no rewards.
  const double num_samples = std::max(static_cast<double>(report.rewards.size()), 1.0);
  TrainingPoint point{
      .num_updates = report.update,
      .values = {
          {"completed", static_cast<double>(report.num_completed) / num_samples},
          {"entropy", report.entropy},
          {"entropy_weight", report.entropy_weight},
          {"gradient_norm", report.gradient_norm},
          {"loss", report.loss},
          {"mean_reward",
           std::accumulate(report.rewards.begin(), report.rewards.end(), 0.0) / num_samples}}};
  if (report.baseline.has_value()) {
    point.values["baseline"] = *report.baseline;
  }
  if (report.kl.has_value()) {
    point.values["kl"] = *report.kl;
    point.values["steps"] = static_cast<double>(report.num_steps);
  }
  return point;
}

TrainingPoint PointOf(const UpdateReport& report, const env::Evaluator& evaluator) {
  TrainingPoint point = PointOf(report);
  point.values["restarts"] = static_cast<double>(report.num_restarts);
  if (!evaluator.history().empty()) {
    point.values["best_makespan_s"] = evaluator.history().back().result.makespan.seconds();
  }
  return point;
}

}  // namespace opyard::agents
