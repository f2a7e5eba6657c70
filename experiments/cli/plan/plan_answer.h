// Parts that the subcommands of `opyard plan` have in common.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "env/problem.h"
#include "experiments/console/out_file.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds --out, which has to be given, and the positional argument PLAN.
void AddPlanOut(CLI::App& subcommand, std::string& out);
void AddPlanArgument(CLI::App& subcommand, std::string& plan);

// The run of `plan`. Throws PlanError.
[[nodiscard]] sim::SimReport RunOf(const env::Problem& problem, const sim::Plan& plan);

// "completed: 12.345 ms", or "deadlock: 0.000 ms" and in further lines why it does not complete;
// ends without a line end.
[[nodiscard]] std::string OutcomeText(const sim::SimReport& report);

// {"outcome", "makespan_s"}
[[nodiscard]] nlohmann::ordered_json OutcomeJson(const sim::SimReport& report);

// kSuccess if the plan completed, else kAnswerIsNo.
[[nodiscard]] int StatusOf(const sim::SimReport& report);

void WritePlan(const env::Problem& problem, const sim::Plan& plan, const OutFile& out);

}  // namespace opyard::experiments
