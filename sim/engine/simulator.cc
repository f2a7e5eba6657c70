#include "sim/engine/simulator.h"

#include "sim/base/check.h"
#include "sim/engine/execution.h"
#include "sim/engine/report.h"

namespace opyard::sim {

Simulator::Simulator(std::shared_ptr<const LoweredProblem> problem) : problem_(std::move(problem)) {
  OPYARD_CHECK(problem_ != nullptr, "a simulator needs a problem");
}

SimResult Simulator::Run(const Plan& plan, Workspace& workspace) const {
  return ExecutePlan(*problem_, plan, workspace, nullptr);
}

SimReport Simulator::RunReport(const Plan& plan, Workspace& workspace) const {
  Recorder recorder(*problem_);
  const SimResult result = ExecutePlan(*problem_, plan, workspace, &recorder);
  return BuildReport(*problem_, plan, result, workspace, recorder);
}

std::vector<std::vector<Resident>> Simulator::PeakResidents(const Plan& plan,
                                                            Workspace& workspace) const {
  Recorder first(*problem_);
  static_cast<void>(ExecutePlan(*problem_, plan, workspace, &first));
  std::vector<std::vector<Resident>> residents(problem_->num_devices);
  Recorder second(*problem_);
  second.after_sample = [&] {
    for (std::size_t d = 0; d < residents.size(); ++d) {
      if (first.holdings[d].peak_sample == second.num_samples) {
        residents[d] = LargestResidents(*problem_, workspace, second, DeviceId(d));
      }
    }
  };
  static_cast<void>(ExecutePlan(*problem_, plan, workspace, &second));
  return residents;
}

}  // namespace opyard::sim
