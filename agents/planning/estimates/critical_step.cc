#include "agents/planning/estimates/critical_step.h"

#include <utility>

namespace opyard::agents {

CriticalStep FindCriticalStep(const env::Problem& problem,
                              const sim::Plan& plan,
                              const sim::SimReport& report) {
  sim::Timeline timeline = sim::BuildTimeline({.graph = problem.graph(),
                                               .hardware = problem.hardware(),
                                               .routes = problem.routes(),
                                               .plan = plan,
                                               .report = report});
  std::vector<sim::CriticalPart> path = sim::CriticalPath(timeline, problem.hardware());
  return {.timeline = std::move(timeline), .path = std::move(path)};
}

}  // namespace opyard::agents
