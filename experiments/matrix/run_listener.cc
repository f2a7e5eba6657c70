#include "experiments/matrix/run_listener.h"

namespace opyard::experiments {

RunSoFar SoFarOf(const env::Evaluator& evaluator) {
  RunSoFar so_far{.evaluations = evaluator.num_evaluations(), .failures = evaluator.num_failures()};
  if (!evaluator.history().empty()) {
    so_far.best = evaluator.history().back().result.makespan;
    so_far.best_score = evaluator.history().back().score;
  }
  return so_far;
}

SearchListeners ListenersOf(const CellKey& cell, RunListener& listener) {
  return {.on_progress =
              [cell, &listener](const env::Evaluator& evaluator) {
                listener.RunWentOn(cell, SoFarOf(evaluator));
              },
          .on_update =
              [cell, &listener](const env::Evaluator& evaluator, const agents::TrainingRow& row) {
                RunSoFar so_far = SoFarOf(evaluator);
                so_far.update = row;
                listener.RunWentOn(cell, so_far);
              }};
}

}  // namespace opyard::experiments
