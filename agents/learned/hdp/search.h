// HDP on one problem: trains its policy as long as the budget lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agents/learned/common/network_start.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/search_course.h"
#include "agents/learned/hdp/learner.h"
#include "agents/learned/hdp/settings.h"
#include "agents/learned/hdp/view.h"
#include "env/evaluator.h"

namespace opyard::agents {

// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the entropy's weight follows the clock, which ends such a training, too
// (common/search_course.h). Used by one thread at a time.
class HdpSearch {
 public:
  // Whether the network would have a choice between devices.
  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const HdpOptions& options);

  // With weights sampled from the seed, or with those of a file, whose network it then has. Throws
  // InputError with the reasons why that file does not fit. REQUIRES: problem.tasks().placement.
  HdpSearch(const env::Problem& problem,
            const HdpOptions& options,
            std::uint64_t seed,
            const NetworkStart& start = {});

  // Samples plans, has them evaluated and makes one step of Adam. With fewer plans left in the
  // budget it samples fewer. Nothing when the evaluator is done or was interrupted: then no step
  // was made. A policy that collapsed while it was paid for entropy gives way to a fresh one, which
  // is trained over what is left of the budget.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  [[nodiscard]] HdpLearner& learner() { return *learner_; }
  [[nodiscard]] HdpPolicy& policy() { return learner_->policy(); }
  [[nodiscard]] const HdpView& view() const { return view_; }

 private:
  HdpSearch(const env::Problem& problem,
            const HdpOptions& options,
            std::uint64_t seed,
            const std::optional<Checkpoint>& found,
            const NetworkStart& start);
  // Begins with the weights that the course says, and with nothing behind it.
  void StartAnew();
  // How the update that has `num_updates` behind it samples its plans.
  [[nodiscard]] HdpSampling SamplingAt(std::int64_t num_updates, std::int64_t num_samples) const;

  HdpOptions options_;
  torch::Device device_;
  HdpSizes sizes_;
  HdpView view_;
  SearchCourse course_;
  std::unique_ptr<HdpLearner> learner_;
  RewardBaseline baseline_;
  torch::Tensor last_devices_;  // int64 [K, G]: of the groups, in the last update
};

// `sizes` for a problem: as many devices as it has and, unless set, as many groups as the paper
// says but no more than units.
[[nodiscard]] HdpSizes Fitted(HdpSizes sizes, const HdpView& view);

}  // namespace opyard::agents
