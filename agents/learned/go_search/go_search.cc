// The agent `go_search`; declaration.h says what it is.
#include <memory>
#include <utility>

#include "agents/base/agent_entry.h"
#include "agents/base/slice.h"
#include "agents/learned/common/search_agent.h"
#include "agents/learned/go/complete_settings.h"
#include "agents/learned/go/search.h"
#include "agents/learned/go_search/declaration.h"
#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/search/local_search/local_search.h"
#include "agents/search/simulated_annealing/simulated_annealing.h"

namespace opyard::agents::go_search {
namespace {

class GuidedSearch final : public Agent {
 public:
  explicit GuidedSearch(Settings settings) : settings_(std::move(settings)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    const torch::Device device = RequireDevice(settings_.go.session.device);
    if (!go::Search::HasChoice(problem, settings_.go.training)) {
      evaluator.Evaluate(OnlyPlan(problem));
      return;
    }
    SearchContext next = context;
    next.device_affinity = Learn(problem, evaluator, rng, context, device);
    if (!settings_.is_guided) {
      next.device_affinity.clear();
    }
    EvaluateInitialPlans(problem, evaluator, rng);
    if (evaluator.best().has_value()) {
      next.start = evaluator.best()->plan;
    }
    const AgentEntry entry = settings_.search == SearchKind::kLocalSearch
                                 ? LocalSearchEntry()
                                 : SimulatedAnnealingEntry();
    Options defaults;
    entry.make(defaults)->Search(problem, evaluator, rng, next);
  }

 private:
  // Evaluates the plans that a local search begins with by itself, by default.
  void EvaluateInitialPlans(const env::Problem& problem,
                            env::Evaluator& evaluator,
                            Rng& rng) const {
    const std::vector<Decisions> starts =
        InitialPlans(problem, evaluator, {.start = settings_.go.start}, rng);
    evaluator.Evaluate(starts.size(), [&](std::size_t i) { return ToPlan(problem, starts[i]); });
  }

  // GO in its share of the budget; what it then thinks of the devices.
  std::vector<double> Learn(const env::Problem& problem,
                            env::Evaluator& evaluator,
                            Rng& rng,
                            const SearchContext& context,
                            torch::Device device) const {
    const TrainingSession& session = settings_.go.session;
    const TorchSession threads(session.num_threads, session.device);
    go::Search search(problem,
                      settings_.go.training,
                      rng.Next(),
                      {.weights = session.checkpoint, .device = device});
    env::Evaluator slice = SliceOf(evaluator, settings_.share);
    while (const std::optional<UpdateReport> report = search.Update(slice)) {
      if (context.listener) {
        context.listener(PointOf(*report, evaluator));
      }
    }
    if (!session.save.empty()) {
      WriteCheckpoint(search.learner().ToWeights(), session.save);
    }
    return search.DeviceAffinity();
  }

  Settings settings_;
};

}  // namespace

std::unique_ptr<Agent> Declaration::Make(const Settings& settings) {
  Settings completed = settings;
  completed.go = Completed(settings.go);
  return std::make_unique<GuidedSearch>(std::move(completed));
}

}  // namespace opyard::agents::go_search
