#include "agents/planning/critical_looks.h"

#include "agents/planning/critical_seconds.h"

namespace opyard::agents {

CriticalLooks::CriticalLooks(const env::Problem& problem,
                             env::Evaluator& evaluator,
                             std::int64_t moves_per_look)
    : problem_(problem),
      evaluator_(evaluator),
      moves_per_look_(moves_per_look),
      num_moves_(moves_per_look) {}

void CriticalLooks::BeforeMove(const sim::Plan& plan, Moves& moves) {
  if (moves_per_look_ == 0 || ++num_moves_ < moves_per_look_ || plan == seen_) {
    return;
  }
  num_moves_ = 0;
  seen_ = plan;
  const std::optional<sim::SimReport> report = evaluator_.EvaluateDetailed(plan);
  if (report.has_value() && report->result.outcome == sim::Outcome::kCompleted) {
    moves.BeginAt(CriticalSeconds(problem_, plan, *report));
  }
}

}  // namespace opyard::agents
