#include "experiments/cli/plan/show.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/plan/plan_answer.h"
#include "experiments/cli/simulated_problem.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/graphs/plan_reading.h"
#include "experiments/plans/plan_figures.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

struct PlanShowOptions {
  SimulatedProblemOptions problem;
  std::string plan;  // a file
  bool json = false;
};

// Prints what a plan decides and what it leaves to rules. kSuccess, too, if it does not complete.
[[nodiscard]] int ShowPlan(const PlanShowOptions& options, const Console& console);

// The answer with --json.
[[nodiscard]] std::string PlanShowJson(const sim::Plan& plan,
                                       const PlanFigures& figures,
                                       const sim::SimReport& report);

}  // namespace

void AddPlanShowArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "show",
       .summary = "what a plan decides, device by device",
       .examples = "  opyard plan show best.plan.json --graph gnmt2 --hardware p100x2-pcie"});
  const auto options = std::make_shared<PlanShowOptions>();
  AddPlanArgument(subcommand, options->plan);
  AddSimulatedProblem(subcommand, options->problem);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ShowPlan);
}

namespace {

// "3 (longest 120 ops)"; nothing without streams.
std::string StreamsText(const PlacedWork& work) {
  if (work.streams.empty()) {
    return "";
  }
  return std::to_string(work.streams.size()) + " (longest " +
         Counted(std::ranges::max(work.streams), "op") + ")";
}

std::string DevicesText(const PlanFigures& figures, bool has_order) {
  std::vector<TextTable::Column> columns = {{.title = "device"},
                                            {.title = "ops", .align = Align::kRight},
                                            {.title = "time", .align = Align::kRight},
                                            {.title = "parameters", .align = Align::kRight},
                                            {.title = "outputs", .align = Align::kRight}};
  if (has_order) {
    columns.push_back({.title = "streams", .align = Align::kRight});
  }
  TextTable table(columns);
  const auto longest = std::ranges::max(figures.devices, {}, &PlacedWork::time).time;
  for (const PlacedWork& work : figures.devices) {
    std::vector<std::string> cells = {OneLine(work.device),
                                      std::to_string(work.ops),
                                      TimeText(work.time, UnitOf(longest)),
                                      BytesText(work.parameters),
                                      BytesText(work.outputs)};
    if (has_order) {
      cells.push_back(StreamsText(work));
    }
    table.AddRow(std::move(cells));
  }
  return table.Text();
}

// "none", "123 other than 0, 7 values".
std::string PriorityText(const PriorityFigures& figures) {
  return figures.values == 0
             ? "none"
             : std::to_string(figures.ops) + " other than 0, " + Counted(figures.values, "value");
}

void PrintText(const sim::Plan& plan,
               const PlanFigures& figures,
               const sim::SimReport& report,
               std::ostream& out) {
  out << "queue " << sim::NameOf(plan.queue) << ", "
      << Counted(static_cast<std::int64_t>(plan.placement.size()), "op") << " in "
      << Counted(figures.kernels, "kernel") << "; " << OutcomeText(report) << "\n"
      << "priorities of ops: " << PriorityText(figures.op_priority)
      << "; of transfers: " << figures.transfer_priorities
      << "; of fusion: " << PriorityText(figures.fusion_priority) << "\n\n"
      << DevicesText(figures, !plan.order.empty());
  for (const std::string& hint : figures.hints) {
    out << (&hint == figures.hints.data() ? "\n" : "") << OneLine(hint) << '\n';
  }
}

int ShowPlan(const PlanShowOptions& options, const Console& console) {
  const NoticeListener notices = NoticesOn(console);
  const auto problem = LoadSimulatedProblem(options.problem, notices);
  const sim::Plan plan = LoadPlan(options.plan, problem->graph(), problem->hardware(), notices);
  const sim::SimReport report = RunOf(*problem, plan);
  const PlanFigures figures = FiguresOf(*problem, plan, report);
  if (options.json) {
    console.out << PlanShowJson(plan, figures, report) << '\n';
  } else {
    PrintText(plan, figures, report, console.out);
  }
  return kSuccess;
}

using Json = nlohmann::ordered_json;

Json PriorityJson(const PriorityFigures& figures) {
  return {{"ops", figures.ops}, {"values", figures.values}};
}

std::string PlanShowJson(const sim::Plan& plan,
                         const PlanFigures& figures,
                         const sim::SimReport& report) {
  Json devices = Json::array();
  for (const PlacedWork& work : figures.devices) {
    devices.push_back({{"device", work.device},
                       {"ops", work.ops},
                       {"time_s", work.time.seconds()},
                       {"param_bytes", work.parameters.count},
                       {"output_bytes", work.outputs.count},
                       {"streams", work.streams}});
  }
  Json json = {{"queue", sim::NameOf(plan.queue)},
               {"ops", plan.placement.size()},
               {"kernels", figures.kernels}};
  json.update(OutcomeJson(report));
  json.update({{"devices", std::move(devices)},
               {"op_priority", PriorityJson(figures.op_priority)},
               {"fusion_priority", PriorityJson(figures.fusion_priority)},
               {"transfer_priorities", figures.transfer_priorities},
               {"hints", figures.hints}});
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
