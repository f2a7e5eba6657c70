// ColocRL on one problem: trains its policy as long as the budget lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agents/learned/coloc_rl/learner.h"
#include "agents/learned/coloc_rl/settings.h"
#include "agents/learned/coloc_rl/view.h"
#include "agents/learned/common/network_start.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/search_course.h"
#include "env/evaluator.h"

namespace opyard::agents {

// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the entropy's weight follows the clock, which ends such a training, too
// (common/search_course.h). Used by one thread at a time.
class ColocRlSearch {
 public:
  // Whether the network would have a choice between devices.
  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const ColocRlOptions& options);

  // With weights sampled from the seed, or with those of a file, whose network it then has. Throws
  // InputError with the reasons why that file does not fit. REQUIRES: problem.tasks().placement.
  ColocRlSearch(const env::Problem& problem,
                const ColocRlOptions& options,
                std::uint64_t seed,
                const NetworkStart& start = {});

  // Samples plans, has them evaluated and makes one step of Adam. With fewer plans left in the
  // budget it samples fewer. Nothing when the evaluator is done or was interrupted: then no step
  // was made. A policy that collapsed while it was paid for entropy gives way to a fresh one, which
  // is trained over what is left of the budget.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  [[nodiscard]] ColocRlLearner& learner() { return *learner_; }
  [[nodiscard]] ColocRlPolicy& policy() { return learner_->policy(); }
  [[nodiscard]] const ColocRlView& view() const { return view_; }

 private:
  ColocRlSearch(const env::Problem& problem,
                const ColocRlOptions& options,
                std::uint64_t seed,
                const std::optional<Checkpoint>& found,
                const NetworkStart& start);
  // Begins with the weights that the course says, and with nothing behind it.
  void StartAnew();

  ColocRlOptions options_;
  torch::Device device_;
  ColocRlSizes sizes_;
  ColocRlView view_;
  SearchCourse course_;
  std::unique_ptr<ColocRlLearner> learner_;
  RewardBaseline baseline_;
};

// `sizes` for a problem: of its groups and devices where the network is made for so many.
[[nodiscard]] ColocRlSizes Fitted(ColocRlSizes sizes, const ColocRlView& view);

}  // namespace opyard::agents
