#include "sim/engine/simulator.h"

#include "sim/base/check.h"
#include "sim/engine/execution.h"
#include "sim/engine/report.h"
#include "sim/engine/run_setup.h"

namespace opyard::sim {

Simulator::Simulator(std::shared_ptr<const LoweredProblem> problem) : problem_(std::move(problem)) {
  OPYARD_CHECK(problem_ != nullptr, "a simulator needs a problem");
}

SimResult Simulator::Run(const Plan& plan, Workspace& workspace) const {
  return ExecutePlan(*problem_, plan, workspace, nullptr);
}

SimTime Simulator::PlanBound(const Plan& plan, Workspace& workspace) const {
  PrepareRun(*problem_, plan, workspace);
  return BoundOfPreparedPlan(*problem_, plan, workspace);
}

SimReport Simulator::RunReport(const Plan& plan, Workspace& workspace) const {
  Recorder recorder(*problem_);
  const SimResult result = ExecutePlan(*problem_, plan, workspace, &recorder);
  return BuildReport(*problem_, plan, result, workspace, recorder);
}

}  // namespace opyard::sim
