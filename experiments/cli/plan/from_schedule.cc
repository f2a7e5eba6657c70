#include "experiments/cli/plan/from_schedule.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/plan/plan_answer.h"
#include "experiments/cli/simulated_problem.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/plans/schedule_plan.h"
#include "sim/base/input_file.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

struct PlanFromScheduleOptions {
  SimulatedProblemOptions problem;
  std::string schedule;  // a file
  std::string out;       // the file of the plan
  bool json = false;
};

// Writes the plan of a solver's schedule (plans/schedule_plan.h) and says how long it takes.
// kAnswerIsNo if it does not complete.
[[nodiscard]] int PlanFromSchedule(const PlanFromScheduleOptions& options, const Console& console);

}  // namespace

void AddPlanFromScheduleArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "from-schedule",
                     .summary = "a plan from the starts that a solver found",
                     .examples = "  opyard plan from-schedule solved.csv --graph gnmt2 --hardware "
                                 "p100x2-pcie --out solved.plan.json"});
  const auto options = std::make_shared<PlanFromScheduleOptions>();
  subcommand.add_option("schedule", options->schedule, "CSV file: op, device, start_s")
      ->required()
      ->type_name("CSV");
  AddSimulatedProblem(subcommand, options->problem);
  AddPlanOut(subcommand, options->out);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &PlanFromSchedule);
}

namespace {

int PlanFromSchedule(const PlanFromScheduleOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const auto problem = LoadSimulatedProblem(options.problem, NoticesOn(console));
  const sim::Plan plan = PlanOfSchedule(sim::ReadTextFile(options.schedule),
                                        InputName(options.schedule),
                                        problem->graph(),
                                        problem->hardware());
  const sim::SimReport report = RunOf(*problem, plan);
  WritePlan(*problem, plan, out);
  if (options.json) {
    nlohmann::ordered_json json = {{"ops", problem->graph().num_ops()}};
    json.update(OutcomeJson(report));
    console.out << json.dump() << '\n';
  } else {
    out.text() << OutcomeText(report) << "; plan of " << problem->graph().num_ops() << " ops in "
               << out.name() << '\n';
  }
  return StatusOf(report);
}

}  // namespace
}  // namespace opyard::experiments
