#include "experiments/maintenance/run_failure.h"

#include "experiments/explain/memory_needs.h"
#include "experiments/matrix/stored_problem.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {
namespace {

std::string TextOf(const sim::OutOfMemoryReport& failure) {
  return "out of memory on " + OneLine(failure.device) + " at " + TimeText(failure.time) + ": " +
         OneLine(failure.what) + " asked for " + BytesText(failure.requested) + " with " +
         BytesText(failure.in_use) + " of " + BytesText(failure.capacity) + " in use";
}

std::string TextOf(const sim::SimReport& report) {
  if (report.failure.has_value()) {
    return TextOf(*report.failure);
  }
  if (report.deadlock.has_value()) {
    const sim::DeadlockReport& deadlock = *report.deadlock;
    if (!deadlock.cycle.empty()) {
      return "the order can never go on: " + OneLine(deadlock.cycle);
    }
    return "nothing could go on: " + std::to_string(deadlock.num_waits) + " waits" +
           (deadlock.waits.empty() ? "" : ", first " + OneLine(deadlock.waits.front()));
  }
  return sim::NameOf(report.result.outcome);
}

}  // namespace

std::string FailureOf(ResultStore& store, const StoredRun& run) {
  const RunRecord& record = run.record;
  if (record.status == RunStatus::kDone) {
    return "";
  }
  if (!record.failure.empty()) {
    return OneLine(record.failure);
  }
  const std::string text = store.PlanOf(run.id);
  if (text.empty()) {
    return "no plan was tried in " + Fixed(record.seconds, 2) + " s";
  }
  const std::string tried = ", after " + std::to_string(record.failures) + " of " +
                            std::to_string(record.evaluations) + " plans failed";
  try {
    const auto problem = ProblemOf(store, record, ExperimentFolderOf(store));
    const sim::Plan plan = sim::ReadPlanText(text, "plan", problem->graph(), problem->hardware());
    sim::Workspace workspace;
    const sim::SimReport report = problem->simulator().RunReport(plan, workspace);
    const std::string needs =
        report.failure.has_value() ? NeedsText(NeedsBeyondCapacity(*problem, plan)) : "";
    return TextOf(report) + (needs.empty() ? "" : "; the plan " + needs) + tried;
  } catch (const Error& error) {
    const std::string why = error.what();
    return record.outcome + tried +
           "; its plan cannot be simulated again: " + OneLine(why.substr(0, why.find('\n')));
  }
}

}  // namespace opyard::experiments
