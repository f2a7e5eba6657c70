#include "sim/engine/simulator.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "sim/analysis/bounds.h"
#include "sim/analysis/problem_bound/problem_bound.h"
#include "sim/base/check.h"
#include "sim/engine/incremental/incremental_run.h"
#include "sim/engine/report/report.h"
#include "sim/engine/report/residents.h"
#include "sim/engine/run/execution.h"
#include "sim/engine/run/run_setup.h"
#include "sim/hardware/routes.h"

namespace opyard::sim {

class Simulator::ProblemBounds {
 public:
  // Thread-safe.
  SimTime Get(const LoweredProblem& problem, BoundedPlans plans) {
    Entry& entry =
        entries_[static_cast<std::size_t>(plans.kernels)][plans.one_op_at_a_time ? 1 : 0];
    std::call_once(entry.once, [&] {
      entry.bound = ProblemBound(
          *problem.graph, *problem.hardware, *problem.costs, RouteTable(*problem.hardware), plans);
    });
    return entry.bound;
  }

 private:
  struct Entry {
    std::once_flag once;
    SimTime bound;
  };
  std::array<std::array<Entry, 2>, 2> entries_;  // by KernelsOfPlans and one_op_at_a_time
};

Simulator::Simulator(std::shared_ptr<const LoweredProblem> problem)
    : problem_(std::move(problem)), bounds_(std::make_shared<ProblemBounds>()) {
  OPYARD_CHECK(problem_ != nullptr, "a simulator needs a problem");
}

SimResult Simulator::Run(const Plan& plan, Workspace& workspace) const {
  PrepareRun(*problem_, plan, workspace);
  return ExecutePrepared(*problem_, plan, workspace, {});
}

SimResult Simulator::RunUntil(const Plan& plan, SimTime limit, Workspace& workspace) const {
  PrepareRun(*problem_, plan, workspace);
  return ExecutePrepared(*problem_, plan, workspace, {.limit = limit});
}

bool Simulator::SupportsCheckpoints(const Plan& plan) const {
  return sim::SupportsCheckpoints(*problem_, plan);
}

SimResult Simulator::RunWithCheckpoints(const Plan& plan,
                                        Workspace& workspace,
                                        RunHistory& history) const {
  return sim::RunWithCheckpoints(*problem_, plan, workspace, history);
}

SimResult Simulator::ResimulateFrom(const RunHistory& history,
                                    std::span<const OpChange> changes,
                                    SimTime limit,
                                    Workspace& workspace) const {
  return sim::ResimulateFrom(*problem_, history, changes, limit, workspace);
}

SimResult Simulator::ResimulateFrom(const RunHistory& history,
                                    const Plan& changed,
                                    SimTime limit,
                                    Workspace& workspace) const {
  return sim::ResimulateFrom(*problem_, history, changed, limit, workspace);
}

SimTime Simulator::PlanBound(const Plan& plan, Workspace& workspace) const {
  PrepareRun(*problem_, plan, workspace);
  return BoundOfPreparedPlan(*problem_, plan, workspace);
}

SimReport Simulator::RunReport(const Plan& plan, Workspace& workspace) const {
  Recorder recorder(*problem_);
  PrepareRun(*problem_, plan, workspace, Recording::kYes);
  const SimResult result = ExecutePrepared(*problem_, plan, workspace, {.recorder = &recorder});
  const auto bound_of = [&](bool is_fused) {
    return bounds_->Get(*problem_,
                        {.kernels = is_fused ? KernelsOfPlans::kFused : KernelsOfPlans::kSingleOps,
                         .one_op_at_a_time = RunsOneOpAtATime(*problem_->hardware, plan.queue)});
  };
  SimReport report = BuildReport(*problem_, plan, result, workspace, recorder);
  report.problem_bound = bound_of(!plan.fusion_priority.empty());
  report.plan_bound = std::max(report.plan_bound, bound_of(workspace.prepared.fused != nullptr));
  return report;
}

std::vector<std::vector<Resident>> Simulator::PeakResidents(const Plan& plan,
                                                            Workspace& workspace) const {
  const auto run = [&](Recorder& recorder) {
    PrepareRun(*problem_, plan, workspace, Recording::kYes);
    return ExecutePrepared(*problem_, plan, workspace, {.recorder = &recorder});
  };
  Recorder first(*problem_);
  static_cast<void>(run(first));
  std::vector<std::vector<Resident>> residents(problem_->num_devices);
  Recorder second(*problem_);
  second.after_sample = [&] {
    for (std::size_t d = 0; d < residents.size(); ++d) {
      if (first.holdings[d].peak_sample == second.num_samples) {
        const DeviceId device(d);
        residents[d] =
            FindResidents(*problem_, workspace, second, std::span(&device, 1), problem_->num_ops);
      }
    }
  };
  static_cast<void>(run(second));
  return residents;
}

}  // namespace opyard::sim
