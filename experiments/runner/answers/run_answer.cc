#include "experiments/runner/answers/run_answer.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <nlohmann/json.hpp>

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json CellJson(const RunRecord& run) {
  const bool is_done = run.status == RunStatus::kDone;
  return {
      {"graph", run.cell.graph},
      {"hardware", run.cell.hardware},
      {"agent", run.cell.agent},
      {"seed", run.cell.seed},
      {"status", is_done ? "done" : "failed"},
      {"outcome", run.outcome},
      {"makespan_s", is_done ? OrNull(run.makespan.value_or(SimTime{}).seconds()) : Json(nullptr)},
      {"evaluations", run.evaluations},
      {"failures", run.failures},
      {"seconds", run.seconds}};
}

Json SummaryJson(const AgentSummary& summary) {
  const auto step = summary.step_s.value_or(MeanWithInterval{});
  return {{"graph", summary.graph},
          {"hardware", summary.hardware},
          {"agent", summary.agent},
          {"runs", summary.num_runs},
          {"failed", summary.num_failed},
          {"mean_s", summary.step_s.has_value() ? Json(step.mean) : Json(nullptr)},
          {"ci95_s", OrNull(step.half_width)},
          {"speed_up", OrNull(summary.speed_up)},
          {"evaluations", summary.mean_evaluations},
          {"seconds", summary.mean_seconds}};
}

}  // namespace

std::string RunJson(const ExperimentConfig& config, const ExperimentAnswer& answer) {
  Json json = {{"experiment", config.name},
               {"baseline", config.baseline},
               {"other_runs", answer.matrix.num_other_runs},
               {"cells", Json::array()},
               {"agents", Json::array()}};
  std::ranges::transform(answer.matrix.runs, std::back_inserter(json["cells"]), CellJson);
  std::ranges::transform(answer.agents, std::back_inserter(json["agents"]), SummaryJson);
  return json.dump();
}

}  // namespace opyard::experiments
