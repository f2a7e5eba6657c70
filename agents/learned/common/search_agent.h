// The search of all agents that learn on one problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "agents/base/agent.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/network_start.h"
#include "agents/learned/common/only_plan.h"
#include "agents/learned/common/torch_device.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/common/update_report.h"
#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {

// Updates a `PolicySearch`, such as LearningSearch (learning_search.h), until it has no more,
// reports each update to the listener, and writes the weights where that is asked for. Where the
// search would have no choice, the only plan is evaluated. `PolicySearch` has
//   PolicySearch(problem, settings.training, seed, network start)
//   static bool HasChoice(problem, settings.training)
//   std::optional<UpdateReport> Update(evaluator)
//   learner().ToWeights()
// The plans that `settings.start` names, if there is such a setting, are evaluated before the
// search.
template <class PolicySearch, class Settings>
class SearchAgent final : public Agent {
 public:
  explicit SearchAgent(Settings settings) : settings_(std::move(settings)) {}

  // Throws InputError, before it evaluates anything, where LibTorch sees no such device as the
  // settings ask for.
  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    const torch::Device device = RequireDevice(settings_.session.device);
    const std::uint64_t seed = rng.Next();
    if (!PolicySearch::HasChoice(problem, settings_.training)) {
      evaluator.Evaluate(OnlyPlan(problem));
      return;
    }
    EvaluateInitialPlans(problem, evaluator, rng);
    const TorchSession session(settings_.session.num_threads, settings_.session.device);
    PolicySearch search(problem,
                        settings_.training,
                        seed,
                        {.weights = settings_.session.checkpoint, .device = device});
    while (const std::optional<UpdateReport> report = search.Update(evaluator)) {
      if (context.listener) {
        context.listener(PointOf(*report, evaluator));
      }
    }
    if (!settings_.session.save.empty()) {
      WriteCheckpoint(search.learner().ToWeights(), settings_.session.save);
    }
  }

 private:
  void EvaluateInitialPlans(const env::Problem& problem,
                            env::Evaluator& evaluator,
                            Rng& rng) const {
    if constexpr (requires { settings_.start; }) {
      const std::vector<Decisions> starts =
          InitialPlans(problem, evaluator, {.start = settings_.start}, rng);
      evaluator.Evaluate(starts.size(), [&](std::size_t i) { return ToPlan(problem, starts[i]); });
    }
  }

  Settings settings_;
};

}  // namespace opyard::agents
