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

// The reference of a run's rewards; nulls for a run without.
void AddReference(const RunRecord& run, Json& json) {
  const auto& reference = run.reference;
  json["reference_score"] = reference.has_value() ? Json(reference->score) : Json(nullptr);
  json["reference_seconds"] = reference.has_value() ? Json(reference->seconds) : Json(nullptr);
  json["reference_cpu_seconds"] =
      reference.has_value() ? OrNull(reference->cpu_seconds) : Json(nullptr);
}

Json CellJson(const RunRecord& run) {
  const bool is_done = run.status == RunStatus::kDone;
  Json json = {
      {"graph", run.cell.graph},
      {"hardware", run.cell.hardware},
      {"agent", run.cell.agent},
      {"seed", run.cell.seed},
      {"status", is_done ? "done" : "failed"},
      {"outcome", run.outcome},
      {"makespan_s", is_done ? OrNull(run.makespan.value_or(SimTime{}).seconds()) : Json(nullptr)},
      {"evaluations", run.evaluations},
      {"failures", run.failures},
      {"seconds", run.seconds},
      {"cpu_seconds", OrNull(run.cpu_seconds)}};
  AddReference(run, json);
  return json;
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
          {"seconds", summary.mean_seconds},
          {"cpu_seconds", OrNull(summary.mean_cpu_seconds)}};
}

// What was searched for because the matrix lacks it.
Json SearchJson(const PairKey& pair, const Baseline& baseline) {
  return {{"graph", pair.first},
          {"hardware", pair.second},
          {"step_s", OrNull(baseline.step_s)},
          {"seconds", baseline.search->seconds},
          {"cpu_seconds", baseline.search->cpu_seconds}};
}

}  // namespace

std::string RunJson(const ExperimentConfig& config, const ExperimentAnswer& answer) {
  Json json = {{"experiment", config.name},
               {"baseline", config.baseline},
               {"other_runs", answer.matrix.num_other_runs},
               {"cells", Json::array()},
               {"agents", Json::array()},
               {"baseline_searches", Json::array()}};
  std::ranges::transform(answer.matrix.runs, std::back_inserter(json["cells"]), CellJson);
  std::ranges::transform(answer.agents, std::back_inserter(json["agents"]), SummaryJson);
  for (const auto& [pair, baseline] : answer.baselines) {
    if (!baseline.is_in_matrix()) {
      json["baseline_searches"].push_back(SearchJson(pair, baseline));
    }
  }
  return json.dump();
}

}  // namespace opyard::experiments
