#include "experiments/explain/counterfactuals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "env/evaluator.h"
#include "experiments/explain/candidate_changes.h"
#include "experiments/explain/decision_weights.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kBatch = 64;  // plans held at a time

// Simulates the candidates and keeps the best of each decision.
class Trial {
 public:
  Trial(env::Evaluator& evaluator, const sim::SimulatedStep& step, std::size_t num_decisions)
      : evaluator_(evaluator), step_(step), best_(num_decisions) {}

  void Run(const std::vector<Candidate>& candidates) {
    for (std::size_t first = 0; first < candidates.size() && !evaluator_.is_done();
         first += kBatch) {
      RunBatch(std::span(candidates).subspan(first, std::min(kBatch, candidates.size() - first)));
    }
  }

  [[nodiscard]] Counterfactuals Answer(SimTime makespan) const {
    Counterfactuals answer{.num_tried = evaluator_.num_evaluations(),
                           .num_incomplete = evaluator_.num_failures(),
                           .was_interrupted = evaluator_.is_done()};
    for (const std::optional<Counterfactual>& best : best_) {
      if (best.has_value() && best->makespan != makespan) {
        (best->makespan < makespan ? answer.savings : answer.costs).push_back(*best);
      }
    }
    std::ranges::stable_sort(answer.savings, {}, &Counterfactual::makespan);
    std::ranges::stable_sort(answer.costs, std::ranges::greater(), &Counterfactual::makespan);
    for (std::vector<Counterfactual>* list : {&answer.savings, &answer.costs}) {
      list->resize(std::min(list->size(), Counterfactuals::kMostListed));
    }
    return answer;
  }

 private:
  void RunBatch(std::span<const Candidate> candidates) {
    std::vector<sim::Plan> plans;
    for (const Candidate& candidate : candidates) {
      plans.push_back(Changed(step_.graph, step_.plan, candidate.change, step_.report.start_order));
    }
    const std::vector<env::Evaluation> evaluations = evaluator_.Evaluate(plans);
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      std::optional<Counterfactual>& best = best_[candidates[i].decision];
      const SimTime makespan = evaluations[i].result.makespan;
      if (evaluations[i].is_feasible() && (!best.has_value() || makespan < best->makespan)) {
        best = Counterfactual{.change = candidates[i].change, .makespan = makespan};
      }
    }
  }

  env::Evaluator& evaluator_;
  const sim::SimulatedStep& step_;
  std::vector<std::optional<Counterfactual>> best_;  // by decision
};

}  // namespace

Counterfactuals FindCounterfactuals(std::shared_ptr<const env::Problem> problem,
                                    const sim::SimulatedStep& step,
                                    const sim::Timeline& timeline,
                                    std::span<const sim::CriticalPart> path,
                                    const CounterfactualOptions& options) {
  const std::vector<Decision> decisions = WeighDecisions(problem->grouping(), step, timeline, path);
  const std::vector<Candidate> candidates = ListCandidates(*problem, step, timeline, decisions);
  env::Evaluator evaluator(std::move(problem),
                           {.num_threads = options.num_threads, .interrupt = options.interrupt});
  Trial trial(evaluator, step, decisions.size());
  trial.Run(candidates);
  return trial.Answer(timeline.end);
}

}  // namespace opyard::experiments
