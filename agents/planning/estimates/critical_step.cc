#include "agents/planning/estimates/critical_step.h"

#include <utility>

#include "env/plan_queue.h"

namespace opyard::agents {

CriticalStep FindCriticalStep(const env::Problem& problem,
                              const sim::Plan& plan,
                              const sim::SimReport& report) {
  const sim::Plan simulated = env::InQueueOf(problem, plan);
  sim::Timeline timeline = sim::BuildTimeline({.graph = problem.graph(),
                                               .hardware = problem.hardware(),
                                               .routes = problem.routes(),
                                               .plan = simulated,
                                               .report = report});
  std::vector<sim::CriticalPart> path = sim::CriticalPath(timeline, problem.hardware());
  return {.timeline = std::move(timeline), .path = std::move(path)};
}

}  // namespace opyard::agents
