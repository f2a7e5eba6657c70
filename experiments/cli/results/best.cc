#include "experiments/cli/results/best.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/results/results_json.h"
#include "experiments/cli/results/stores.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/maintenance/plan_export.h"
#include "experiments/maintenance/store_overview.h"
#include "experiments/store/result_store.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"

namespace opyard::experiments {
namespace {

struct ResultsBestOptions {
  std::string results;  // a folder or its file
  RunFilter filter;
  std::string per = "problem";  // problem, agent, run (BestPer)
  std::string out;              // folder for the plans; "" for none
  bool json = false;
};

// Prints a line for each best run, and with `out` the command that simulates its plan.
[[nodiscard]] int ShowBest(const ResultsBestOptions& options, const Console& console);

}  // namespace

void AddResultsBestArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "best",
       .summary = "the best plans of a store, and any plan as a file",
       .examples = "  opyard results best results/mine\n"
                   "  opyard results best results/mine --per agent --json\n"
                   "  opyard results best results/mine --per run --agent brkga --seed 1 "
                   "--out plans"});
  const auto options = std::make_shared<ResultsBestOptions>();
  AddStore(subcommand, options->results);
  AddRunFilter(subcommand, options->filter);
  subcommand
      .add_option("--per",
                  options->per,
                  "the best of each problem, of each agent on it, or every run (default: problem)")
      ->check(CLI::IsMember({"problem", "agent", "run"}));
  subcommand.add_option("--out", options->out, "folder to write the plans to")->type_name("DIR");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ShowBest);
}

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

}  // namespace
}  // namespace opyard::experiments
