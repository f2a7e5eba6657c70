#include "experiments/cli/plan/to_order.h"

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
#include "experiments/graphs/plan_reading.h"
#include "sim/analysis/order_of_run.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

struct PlanToOrderOptions {
  SimulatedProblemOptions problem;
  std::string plan;  // a file
  std::string out;   // the file of the new plan
  bool json = false;
};

// Writes the order in which the plan's run starts its ops. kAnswerIsNo, and no file, if the plan
// does not complete.
[[nodiscard]] int OrderPlan(const PlanToOrderOptions& options, const Console& console);

}  // namespace

void AddPlanToOrderArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "to-order",
                     .summary = "the order of a plan's run, which replays exactly",
                     .examples = "  opyard plan to-order best.plan.json --graph gnmt2 --hardware "
                                 "p100x2-pcie --out order.plan.json"});
  const auto options = std::make_shared<PlanToOrderOptions>();
  AddPlanArgument(subcommand, options->plan);
  AddSimulatedProblem(subcommand, options->problem);
  AddPlanOut(subcommand, options->out);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &OrderPlan);
}

namespace {

int OrderPlan(const PlanToOrderOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const NoticeListener notices = NoticesOn(console);
  const auto problem = LoadSimulatedProblem(options.problem, notices);
  const sim::Plan plan = LoadPlan(options.plan, problem->graph(), problem->hardware(), notices);
  const sim::SimReport run = RunOf(*problem, plan);
  if (StatusOf(run) != kSuccess) {
    console.err << "queue " << sim::NameOf(plan.queue) << ": " << OutcomeText(run)
                << "\nthe order of a run that does not complete is not known; nothing written\n";
    return kAnswerIsNo;
  }
  const sim::Plan ordered = sim::OrderOfRun(problem->hardware(), plan, run);
  const sim::SimReport replay = RunOf(*problem, ordered);
  WritePlan(*problem, ordered, out);
  if (options.json) {
    const nlohmann::ordered_json json = {{"queue", sim::NameOf(plan.queue)},
                                         {"before", OutcomeJson(run)},
                                         {"after", OutcomeJson(replay)},
                                         {"transfer_priorities", ordered.transfer_priority.size()}};
    console.out << json.dump() << '\n';
  } else {
    out.text() << "queue " << sim::NameOf(plan.queue) << ": " << OutcomeText(run)
               << "\nqueue order: " << OutcomeText(replay) << "; plan in " << out.name() << '\n';
  }
  return StatusOf(replay);
}

}  // namespace
}  // namespace opyard::experiments
