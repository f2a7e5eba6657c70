// The agent `reinforce_lstm`; declaration.h says what it is.
#include <numeric>

#include "agents/learned/coloc_rl/declaration.h"
#include "agents/learned/coloc_rl/search.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/torch_session.h"
#include "agents/planning/decisions.h"
#include "agents/planning/simple_plans.h"

namespace opyard::agents {
namespace {

TrainingPoint PointOf(const UpdateReport& report, const env::Evaluator& evaluator) {
  const auto num_samples = static_cast<double>(report.rewards.size());
  TrainingPoint point{
      .num_updates = report.update,
      .values = {
          {"completed", static_cast<double>(report.num_completed) / num_samples},
          {"entropy", report.entropy},
          {"entropy_weight", report.entropy_weight},
          {"gradient_norm", report.gradient_norm},
          {"loss", report.loss},
          {"restarts", static_cast<double>(report.num_restarts)},
          {"mean_reward",
           std::accumulate(report.rewards.begin(), report.rewards.end(), 0.0) / num_samples}}};
  if (report.baseline.has_value()) {
    point.values["baseline"] = *report.baseline;
  }
  if (!evaluator.history().empty()) {
    point.values["best_makespan_s"] = evaluator.history().back().result.makespan.seconds();
  }
  return point;
}

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
  // Where no device is left to choose: the default one of each group.
  static sim::Plan OnlyPlan(const env::Problem& problem) {
    Decisions decisions;
    if (problem.tasks().placement) {
      decisions.device_of_group = DeviceOfGroups(problem, problem.default_placement());
    }
    if (problem.tasks().scheduling) {
      decisions.priority_of_group = LevelsByUpwardRank(problem, 20);
    }
    return ToPlan(problem, decisions);
  }

  ReinforceLstmSettings settings_;
};

}  // namespace

std::unique_ptr<Agent> ReinforceLstmDeclaration::Make(const ReinforceLstmSettings& settings) {
  return std::make_unique<ReinforceLstm>(settings);
}

}  // namespace opyard::agents
