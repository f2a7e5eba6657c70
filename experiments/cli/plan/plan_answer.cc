#include "experiments/cli/plan/plan_answer.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/console/console.h"
#include "experiments/explain/report_text.h"
#include "experiments/text/number_format.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {

void AddPlanOut(CLI::App& subcommand, std::string& out) {
  subcommand.add_option("--out", out, "plan file to write")->required()->type_name("OUT");
}

void AddPlanArgument(CLI::App& subcommand, std::string& plan) {
  subcommand.add_option("plan", plan, "plan file")->required()->type_name("PLAN");
}

sim::SimReport RunOf(const env::Problem& problem, const sim::Plan& plan) {
  sim::Workspace workspace;
  return problem.simulator().RunReport(plan, workspace);
}

std::string OutcomeText(const sim::SimReport& report) {
  std::string text =
      std::string(sim::NameOf(report.result.outcome)) + ": " + TimeText(report.result.makespan);
  const std::string why = IncompleteText(report);
  if (!why.empty()) {
    text += "\n" + why.substr(0, why.size() - 1);
  }
  return text;
}

nlohmann::ordered_json OutcomeJson(const sim::SimReport& report) {
  return {{"outcome", sim::NameOf(report.result.outcome)},
          {"makespan_s", report.result.makespan.seconds()}};
}

int StatusOf(const sim::SimReport& report) {
  return report.result.outcome == sim::Outcome::kCompleted ? kSuccess : kAnswerIsNo;
}

void WritePlan(const env::Problem& problem, const sim::Plan& plan, const OutFile& out) {
  out.Write(sim::WritePlanText(plan, problem.graph(), problem.hardware()));
}

}  // namespace opyard::experiments
