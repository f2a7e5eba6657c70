// The agent `reinforce_lstm`; declaration.h says what it is.
#include "agents/learned/coloc_rl/declaration.h"
#include "agents/learned/coloc_rl/search.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/only_plan.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/common/update_report.h"

namespace opyard::agents {
namespace {

class ReinforceLstm final : public Agent {
 public:
  explicit ReinforceLstm(ReinforceLstmSettings settings) : settings_(std::move(settings)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    const std::uint64_t seed = rng.Next();
    if (!problem.tasks().placement ||
        !MakeGroupSequence(problem, settings_.training.groups).has_choice()) {
      evaluator.Evaluate(OnlyPlan(problem));
      return;
    }
    const TorchSession session(settings_.session.num_threads);
    ColocRlSearch search(problem, settings_.training, seed, settings_.session.checkpoint);
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
  ReinforceLstmSettings settings_;
};

}  // namespace

std::unique_ptr<Agent> ReinforceLstmDeclaration::Make(const ReinforceLstmSettings& settings) {
  return std::make_unique<ReinforceLstm>(settings);
}

}  // namespace opyard::agents
