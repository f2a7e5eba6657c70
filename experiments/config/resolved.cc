#include "experiments/config/resolved.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "env/problem_words.h"
#include "experiments/config/settings_json.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json PairJson(const PairConfig& pair) {
  return {{"graph", pair.graph}, {"hardware", pair.hardware}};
}

Json ResolvedBudgetJson(const env::Budget& budget) {
  Json json = Json::object();
  json["evaluations"] = budget.evaluations.has_value() ? Json(*budget.evaluations) : Json(nullptr);
  json["seconds"] = budget.seconds.has_value() ? Json(*budget.seconds) : Json(nullptr);
  return json;
}

Json AgentJson(const AgentConfig& agent) {
  Json json = {{"name", agent.name}, {"label", agent.label}};
  if (!agent.params.values().empty()) {
    json["params"] = Json::parse(ParamsJson(agent.params));
  }
  if (agent.budget.has_value()) {
    json["budget"] = ResolvedBudgetJson(*agent.budget);
  }
  return json;
}

void AddInputs(const ExperimentConfig& config, Json& json) {
  if (config.pairs.empty()) {
    json["graphs"] = config.graphs;
    json["hardware"] = config.hardware;
    return;
  }
  json["pairs"] = Json::array();
  std::ranges::transform(config.pairs, std::back_inserter(json["pairs"]), PairJson);
}

// {"problem": …, "decide_per": …, "max_groups": …}
void AddProblem(const ExperimentConfig& config, Json& json) {
  json.update(SettingsObject(config.problem, Rewards::kGiven));
}

void AddTraining(const TrainingConfig& training, Json& json) {
  if (training.graphs.empty()) {
    return;
  }
  json["split"] = {{"train", Json::parse(TrainingGraphsJson(training))}};
  json["training"] = {{"updates", training.num_updates}, {"save_seconds", training.save_seconds}};
  for (const env::TaskSet& tasks : training.tasks) {
    json["training"]["tasks"].push_back(env::NamesOf(tasks));
  }
  if (training.teacher.has_value()) {
    json["training"]["teacher"] = Json::parse(TeacherJson(training));
    json["training"]["teacher"]["folder"] = training.teacher->folder;
  }
}

void AddTuning(const TuningConfig& tuning, Json& json) {
  if (!tuning.space.empty()) {
    json["tuning"] = {{"space", Json::parse(TuningSpaceJson(tuning))},
                      {"trials", tuning.trials},
                      {"shrink", tuning.shrink},
                      {"first_problems", tuning.first_problems}};
  }
}

}  // namespace

std::string ResolvedText(const ExperimentConfig& config) {
  Json json = {{"schema_version", 1}, {"name", config.name}};
  AddInputs(config, json);
  AddProblem(config, json);
  json["budget"] = ResolvedBudgetJson(config.budget);
  json["agents"] = Json::array();
  std::ranges::transform(config.agents, std::back_inserter(json["agents"]), AgentJson);
  json["seeds"] = config.seeds;
  AddTraining(config.training, json);
  AddTuning(config.tuning, json);
  if (!config.optima.empty()) {
    json["optima"] = config.optima;
  }
  return json.dump();
}

}  // namespace opyard::experiments
