// The figures of one update of a policy, for its training curve.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agents/base/training_point.h"
#include "agents/learned/common/baseline_rule.h"
#include "agents/learned/common/reinforce.h"
#include "env/evaluator.h"

namespace opyard::agents {

struct UpdateReport {
  std::int64_t update = 0;  // 1 is the first
  std::int64_t num_completed = 0;
  std::vector<double> rewards;     // [samples]
  std::optional<double> baseline;  // that they were compared with; nothing before the first plan
                                   // that completed
  double entropy_weight = 0.0;
  double loss = 0.0;
  double entropy = 0.0;           // mean of a decision, nats, before the step
  double gradient_norm = 0.0;     // before clipping
  std::int64_t num_steps = 0;     // of the optimiser; the three above are their means
  std::optional<double> kl;       // of a decision, nats, as estimated last (ppo.h)
  std::int64_t num_restarts = 0;  // made so far, the one after this update included
  friend bool operator==(const UpdateReport&, const UpdateReport&) = default;
};

// The advantage over `baseline` of each plan, [K]; 0 for one that did not complete where
// `ignores_failures`. Fills in the report's rewards and baseline, and moves the baseline on.
[[nodiscard]] std::vector<double> Advantages(std::span<const env::Evaluation> evaluations,
                                             double reference_score,
                                             bool ignores_failures,
                                             RewardBaseline& baseline,
                                             UpdateReport& report);

// The same by `rule` in an update with `num_updates` behind it.
[[nodiscard]] std::vector<double> Advantages(std::span<const env::Evaluation> evaluations,
                                             double reference_score,
                                             const BaselineRule& rule,
                                             std::int64_t num_updates,
                                             RewardBaseline& baseline,
                                             UpdateReport& report);

// An update of a training as a point of its curve.
[[nodiscard]] TrainingPoint PointOf(const UpdateReport& report);
// That of a search, with its restarts and the best plan so far.
[[nodiscard]] TrainingPoint PointOf(const UpdateReport& report, const env::Evaluator& evaluator);

}  // namespace opyard::agents
