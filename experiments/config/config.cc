#include "experiments/config/config.h"

#include <nlohmann/json.hpp>

#include "experiments/config/settings_json.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

Json BudgetJson(const env::Budget& budget) {
  Json json = Json::object();
  if (budget.evaluations.has_value()) {
    json["evaluations"] = *budget.evaluations;
  }
  if (budget.seconds.has_value()) {
    json["seconds"] = *budget.seconds;
  }
  return json;
}

// The conditions, beside its parameters and the problem, on which the weights of an agent that is
// trained for its runs depend.
Json TrainingJson(const ExperimentConfig& config) {
  Json json = {{"train", Json::parse(TrainingGraphsJson(config.training))},
               {"tasks", Json::parse(TrainingTasksJson(config.training))},
               {"updates", config.training.num_updates},
               {"hardware", config.hardware},
               {"seed", config.seeds.front()}};
  if (config.training.teacher.has_value()) {
    json["teacher"] = Json::parse(TeacherJson(config.training));
  }
  return json;
}

}  // namespace

std::vector<PairConfig> PairsOf(const ExperimentConfig& config) {
  if (!config.pairs.empty()) {
    return config.pairs;
  }
  std::vector<PairConfig> pairs;
  for (std::size_t i = 0; i < config.graphs.size(); ++i) {
    for (const std::string& machine : config.hardware) {
      pairs.push_back(
          {.graph = config.graphs[i], .hardware = machine, .place = config.graph_places[i]});
    }
  }
  return pairs;
}

const env::Budget& BudgetOf(const ExperimentConfig& config, const AgentConfig& agent) {
  return agent.budget.has_value() ? *agent.budget : config.budget;
}

std::string SettingsJson(const ExperimentConfig& config,
                         const AgentConfig& agent,
                         Rewards rewards) {
  Json json = SettingsObject(config.problem, rewards);
  json["budget"] = BudgetJson(BudgetOf(config, agent));
  if (agent.budget.has_value()) {
    json["budget_of"] = "agent";
  }
  if (agent.is_trained) {
    json["training"] = TrainingJson(config);
  }
  if (agent.plugin.has_value()) {
    json["plugin"] = {{"file", fs::path(agent.plugin->path).filename().string()},
                      {"sha256", agent.plugin->sha256}};
  }
  return json.dump();
}

std::string ProblemJson(const env::ProblemSettings& problem) {
  return SettingsObject(problem, Rewards::kNone).dump();
}

std::string ParamsJson(const Options& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.values()) {
    std::visit([&json, &key = name](const auto& v) { json[key] = v; }, value);
  }
  return json.dump();
}

}  // namespace opyard::experiments
