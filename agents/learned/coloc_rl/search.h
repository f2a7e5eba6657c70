// ColocRL on one problem: trains its policy as long as the budget lasts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "agents/learned/coloc_rl/learner.h"
#include "agents/learned/coloc_rl/settings.h"
#include "agents/learned/coloc_rl/view.h"
#include "agents/learned/common/collapse_watch.h"
#include "agents/learned/common/reinforce.h"
#include "env/evaluator.h"

namespace opyard::agents {

// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the entropy's weight follows the clock, which ends such a training, too. Update u
// draws from its own stream of the seed, and so do the weights of each restart. Used by one thread
// at a time.
class ColocRlSearch {
 public:
  // With weights drawn from the seed, or with those of the file `weights`, whose network it then
  // has. Throws InputError with the reasons why that file does not fit. REQUIRES:
  // problem.tasks().placement.
  ColocRlSearch(const env::Problem& problem,
                const ColocRlOptions& options,
                std::uint64_t seed,
                const std::filesystem::path& weights = {});

  // Samples plans, has them judged and makes one step of Adam. With fewer plans left in the budget
  // it samples fewer. Nothing when the evaluator is done or was interrupted: then no step was made.
  // A policy that collapsed while it was paid for entropy gives way to a fresh one, which is
  // trained over what is left of the budget.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  [[nodiscard]] ColocRlLearner& learner() { return *learner_; }
  [[nodiscard]] ColocRlPolicy& policy() { return learner_->policy(); }
  [[nodiscard]] const ColocRlView& view() const { return view_; }

 private:
  [[nodiscard]] TrainingProgress Progress(const env::Evaluator& evaluator) const;
  // Begins with the weights of restart `num_restarts_`, and with nothing behind it.
  void StartAnew();

  ColocRlOptions options_;
  std::int64_t seed_;
  ColocRlView view_;
  ColocRlSizes sizes_;
  std::unique_ptr<ColocRlLearner> learner_;
  RewardBaseline baseline_;
  CollapseWatch watch_;
  std::int64_t num_updates_ = 0;
  std::int64_t num_restarts_ = 0;
  // Of the policy at hand, since it was fresh.
  std::int64_t own_updates_ = 0;
  std::int64_t own_evaluations_ = 0;
  double share_at_start_ = 0.0;  // of a budget in seconds
};

// `sizes` for a problem: a faithful network is made for its groups and devices.
[[nodiscard]] ColocRlSizes Fitted(ColocRlSizes sizes, const ColocRlView& view);

}  // namespace opyard::agents
