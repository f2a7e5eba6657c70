// The search on one problem of agents whose update samples plans, learns from them and no more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/entropy_schedule.h"
#include "agents/learned/common/network_start.h"
#include "agents/learned/common/policy_update.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/search_course.h"
#include "agents/learned/common/update_report.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Trains a policy on one problem as long as the budget lasts. What is an agent's own is in
// `Traits`, which has
//   Options, Sizes, View, Learner and its Rollout, as types
//   static bool HasChoice(problem, options): whether the network would have a choice
//   static Sizes SizesOf(found, path): of the network of a file. Throws InputError if it is none of
//     the agent's.
//   static View MakeView(problem, options, sizes, device)
//   static Sizes Fitted(sizes, view): for the problem at hand
//   static std::int64_t NumDecisions(view): of a plan
//   static std::optional<Rollout> Sample(learner, view, num_samples, num_updates, evaluator, rng):
//     as many plans, evaluated, `num_updates` after the policy was fresh; nothing if the budget
//     ended before
//   static torch::Tensor Choices(rollout): int64 [K, NumDecisions], on the CPU
// The counterpart for many problems is PoolTrainer (pool_trainer.h).
//
// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the entropy's weight follows the clock, which ends such a training, too
// (search_course.h). Used by one thread at a time.
template <class Traits>
class LearningSearch {
 public:
  using Options = typename Traits::Options;
  using View = typename Traits::View;
  using Learner = typename Traits::Learner;

  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const Options& options) {
    return Traits::HasChoice(problem, options);
  }

  // With weights sampled from the seed, or with those of a file, whose network it then has. Throws
  // InputError with the reasons why that file does not fit. REQUIRES: problem.tasks().placement.
  LearningSearch(const env::Problem& problem,
                 const Options& options,
                 std::uint64_t seed,
                 const NetworkStart& start = {})
      : LearningSearch(problem, options, seed, ReadCheckpointIfAny(start.weights), start) {}

  // Samples plans, has them evaluated and makes one update of the policy. With fewer plans left in
  // the budget it samples fewer. Nothing when the evaluator is done or was interrupted: then no
  // step was made. A policy that collapsed while it was paid for entropy gives way to a fresh one,
  // which is trained over what is left of the budget.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator) {
    const std::int64_t num_samples = evaluator.EvaluationsLeft(options_.batch_size);
    if (evaluator.is_done() || num_samples == 0) {
      return std::nullopt;
    }
    const TrainingProgress progress = course_.Progress(evaluator);
    Rng rng = course_.UpdateStream();
    const std::optional<Rollout> samples =
        Traits::Sample(*learner_, view_, num_samples, progress.num_updates, evaluator, rng);
    if (!samples.has_value()) {
      return std::nullopt;
    }
    UpdateReport report =
        learner_->Learn(view_,
                        *samples,
                        {.entropy_weight = EntropyWeight(options_.entropy, progress),
                         .num_updates = progress.num_updates},
                        baseline_,
                        rng);
    if (course_.IsOverAfter(Traits::Choices(*samples), progress, evaluator)) {
      StartAnew();
    }
    report.update = course_.num_updates();
    report.num_restarts = course_.num_restarts();
    return report;
  }

  [[nodiscard]] Learner& learner() { return *learner_; }
  [[nodiscard]] auto& policy() { return learner_->policy(); }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  using Sizes = typename Traits::Sizes;
  using Rollout = typename Traits::Rollout;

  LearningSearch(const env::Problem& problem,
                 const Options& options,
                 std::uint64_t seed,
                 const std::optional<Checkpoint>& found,
                 const NetworkStart& start)
      : options_(options),
        device_(start.device),
        sizes_(found.has_value() ? Traits::SizesOf(*found, start.weights) : options.sizes),
        view_(Traits::MakeView(problem, options, sizes_, device_)),
        course_({.entropy = options.entropy,
                 .restart_updates = options.learns ? options.restart_updates : 0,
                 .num_decisions = Traits::NumDecisions(view_),
                 .seed = seed}),
        baseline_(options.baseline.momentum) {
    sizes_ = Traits::Fitted(sizes_, view_);
    StartAnew();
    if (found.has_value()) {
      learner_->TakeWeights(*found, start.weights);
    }
  }

  // Begins with the weights that the course says, and with nothing behind it.
  void StartAnew() {
    Rng rng = course_.WeightStream();
    learner_ = std::make_unique<Learner>(options_, sizes_, rng, device_);
    baseline_.set_value(std::nullopt);
  }

  Options options_;
  torch::Device device_;
  Sizes sizes_;
  View view_;
  SearchCourse course_;
  std::unique_ptr<Learner> learner_;
  RewardBaseline baseline_;
};

}  // namespace opyard::agents
