#include "experiments/cli/run_json.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/statistics/starts.h"

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

Json RunCellJson(const RunRecord& run) {
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

// A search for a baseline that the matrix lacks.
Json SearchJson(const PairKey& pair, const Baseline& baseline) {
  return {{"graph", pair.first},
          {"hardware", pair.second},
          {"step_s", OrNull(baseline.step_s)},
          {"seconds", baseline.search->seconds},
          {"cpu_seconds", baseline.search->cpu_seconds}};
}

Json RunTrainingJson(const StoredTraining& training) {
  return {{"agent", training.agent},
          {"updates", training.num_updates},
          {"evaluations", training.evaluations},
          {"seconds", training.seconds},
          {"cpu_seconds", training.cpu_seconds},
          {"weights", training.weights},
          {"weights_sha256", training.weights_sha256}};
}

Json BeatenJson(const BeatenOptimum& beaten) {
  return {{"graph", beaten.cell.graph},
          {"hardware", beaten.cell.hardware},
          {"agent", beaten.cell.agent},
          {"seed", beaten.cell.seed},
          {"makespan_s", beaten.makespan.seconds()},
          {"optimum_s", beaten.optimum.makespan.seconds()}};
}

Json GapJson(const AgentGap& gap) {
  return {{"agent", gap.agent},
          {"runs", gap.num_runs},
          {"reached", gap.num_reached},
          {"failed", gap.num_failed},
          {"mean_gap_percent", OrNull(gap.mean_gap_percent)},
          {"largest_gap_percent", OrNull(gap.largest_gap_percent)}};
}

template <class T, class ToJson>
Json ListOf(const std::vector<T>& items, const ToJson& to_json) {
  Json list = Json::array();
  std::ranges::transform(items, std::back_inserter(list), to_json);
  return list;
}

Json OptimaJson(const OptimaComparison& comparison) {
  const auto pair_json = [](const PairKey& pair) {
    return Json{{"graph", pair.first}, {"hardware", pair.second}};
  };
  return {{"table", comparison.table},
          {"problems", comparison.num_problems},
          {"proven", comparison.num_proven},
          {"unknown", ListOf(comparison.unknown, pair_json)},
          {"other_rows", comparison.num_other_rows},
          {"agents", ListOf(comparison.agents, GapJson)},
          {"beaten", ListOf(comparison.beaten, BeatenJson)},
          {"contradictions", ListOf(comparison.refuted, BeatenJson)}};
}

void AddStarts(const std::vector<RunRecord>& runs, Json& json) {
  const std::vector<StartGroup> groups = StartGroupsOf(runs);
  for (const StartGroup& group : groups) {
    json["starts"].push_back({{"start", group.start}, {"agents", group.agents}});
  }
  if (const std::string text = UnequalStartsText(groups); !text.empty()) {
    json["warnings"].push_back(text);
  }
}

}  // namespace

std::string RunJson(const ExperimentConfig& config, const ExperimentAnswer& answer) {
  Json json = {{"experiment", config.name},
               {"baseline", config.problem.baseline},
               {"other_runs", answer.matrix.num_other_runs},
               {"starts", Json::array()},
               {"warnings", Json::array()},
               {"cells", Json::array()},
               {"agents", Json::array()},
               {"baseline_searches", Json::array()},
               {"trainings", Json::array()}};
  AddStarts(answer.matrix.runs, json);
  std::ranges::transform(answer.matrix.runs, std::back_inserter(json["cells"]), RunCellJson);
  std::ranges::transform(answer.agents, std::back_inserter(json["agents"]), SummaryJson);
  std::ranges::transform(
      answer.matrix.trainings, std::back_inserter(json["trainings"]), RunTrainingJson);
  for (const auto& [pair, baseline] : answer.baselines) {
    if (!baseline.is_in_matrix()) {
      json["baseline_searches"].push_back(SearchJson(pair, baseline));
    }
  }
  if (answer.optima.has_value()) {
    json["optima"] = OptimaJson(*answer.optima);
  }
  return json.dump();
}

}  // namespace opyard::experiments
