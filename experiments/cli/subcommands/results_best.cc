#include "experiments/cli/subcommands/results_best.h"

#include <algorithm>
#include <utility>

#include "experiments/cli/json/results_answer.h"
#include "experiments/maintenance/plan_export.h"
#include "experiments/store/result_store.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

BestPer PerOf(const std::string& word) {
  if (word == "run") {
    return BestPer::kRun;
  }
  return word == "agent" ? BestPer::kAgent : BestPer::kProblem;
}

std::optional<SimTime> BoundOf(const std::vector<StoredBound>& bounds, const CellKey& cell) {
  const auto found = std::ranges::find_if(bounds, [&](const StoredBound& bound) {
    return bound.kind == "lower_bound" && bound.graph == cell.graph &&
           bound.hardware == cell.hardware;
  });
  return found == bounds.end() ? std::nullopt : std::optional(found->makespan);
}

std::string TableOf(const std::vector<ListedPlan>& plans) {
  TextTable table({{.title = "graph"},
                   {.title = "machine"},
                   {.title = "agent"},
                   {.title = "seed", .align = Align::kRight},
                   {.title = "step time", .align = Align::kRight},
                   {.title = "bound", .align = Align::kRight},
                   {.title = "evaluations", .align = Align::kRight}});
  for (const ListedPlan& plan : plans) {
    const RunRecord& record = plan.run.record;
    const bool is_done = record.status == RunStatus::kDone;
    table.AddRow({OneLine(record.cell.graph),
                  OneLine(record.cell.hardware),
                  OneLine(record.cell.agent),
                  std::to_string(record.cell.seed),
                  is_done ? TimeText(record.makespan.value_or(SimTime{})) : record.outcome,
                  plan.bound.has_value() ? TimeText(*plan.bound) : "—",
                  std::to_string(record.evaluations)});
  }
  return table.Text();
}

}  // namespace

int ShowBest(const ResultsBestOptions& options, const Console& console) {
  ResultStore store = ResultStore::OpenToRead(options.results);
  const std::vector<StoredBound> bounds = store.Bounds();
  std::vector<ListedPlan> plans;
  for (StoredRun& run : BestRuns(OverviewOf(store, options.filter).runs, PerOf(options.per))) {
    ListedPlan& plan = plans.emplace_back();
    plan.bound = BoundOf(bounds, run.record.cell);
    if (!options.out.empty()) {
      ExportedPlan exported = ExportPlan(store, run, options.out);
      plan.plan = exported.plan.string();
      plan.simulate = std::move(exported.simulate);
    }
    plan.run = std::move(run);
  }
  if (options.json) {
    console.out << ResultsBestJson(plans) << '\n';
    return plans.empty() ? kAnswerIsNo : kSuccess;
  }
  if (plans.empty()) {
    console.err << options.results << ": no run that is meant found a plan\n";
    return kAnswerIsNo;
  }
  console.out << TableOf(plans);
  for (const ListedPlan& plan : plans) {
    if (plan.simulate.has_value()) {
      console.out << *plan.simulate << " --explain\n";
    }
  }
  return kSuccess;
}

}  // namespace opyard::experiments
