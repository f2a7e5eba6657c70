#include "agents/planning/local_search/critical_path_guide.h"

#include "agents/planning/estimates/critical_reassignments.h"
#include "agents/planning/estimates/critical_seconds.h"
#include "agents/planning/estimates/critical_step.h"
#include "agents/planning/estimates/overtakings.h"
#include "env/plan_queue.h"

namespace opyard::agents {

CriticalPathGuide::CriticalPathGuide(const env::Problem& problem,
                                     env::Evaluator& evaluator,
                                     std::int64_t critical_path_interval)
    : problem_(problem),
      evaluator_(evaluator),
      critical_path_interval_(critical_path_interval),
      num_moves_(critical_path_interval) {}

void CriticalPathGuide::BeforeMove(const sim::Plan& plan, Moves& moves) {
  if (critical_path_interval_ == 0 || ++num_moves_ < critical_path_interval_ ||
      plan == evaluated_) {
    return;
  }
  num_moves_ = 0;
  evaluated_ = plan;
  const std::optional<sim::SimReport> report = evaluator_.EvaluateDetailed(plan);
  if (report.has_value() && report->result.outcome == sim::Outcome::kCompleted) {
    const CriticalStep step = FindCriticalStep(problem_, plan, *report);
    moves.BeginAt(CriticalSeconds(problem_, step));
    moves.SetReassignments(CriticalReassignments(problem_, step));
    if (env::AsksForOrder(problem_)) {
      moves.SetOvertakings(CriticalOvertakings(step));
      moves.SetStartOrder(report->start_order);
    }
  }
}

}  // namespace opyard::agents
