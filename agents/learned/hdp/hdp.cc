// The agent `hdp`; declaration.h says what it is.
#include <utility>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/only_plan.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/hdp/declaration.h"
#include "agents/learned/hdp/search.h"

namespace opyard::agents {
namespace {

class Hdp final : public Agent {
 public:
  explicit Hdp(HdpSettings settings) : settings_(std::move(settings)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    const std::uint64_t seed = rng.Next();
    if (!problem.tasks().placement || !UnitsOf(problem).has_choice()) {
      evaluator.Evaluate(OnlyPlan(problem));
      return;
    }
    const TorchSession session(settings_.session.num_threads);
    HdpSearch search(problem, settings_.training, seed, settings_.session.checkpoint);
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
  HdpSettings settings_;
};

}  // namespace

std::unique_ptr<Agent> HdpDeclaration::Make(const HdpSettings& settings) {
  return std::make_unique<Hdp>(settings);
}

}  // namespace opyard::agents
