#include "experiments/runner/config/config.h"

#include <nlohmann/json.hpp>

#include "env/problem_words.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json ObjectiveJson(const env::Objective& objective) {
  if (objective.kind != env::ObjectiveKind::kWeighted) {
    return NameOf(objective.kind);
  }
  return {{NameOf(objective.kind), env::WeightsOf(objective)}};
}

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

Json ToJson(const ProblemConfig& problem) {
  return {
      {"problem",
       {{"tasks", env::NamesOf(problem.tasks)},
        {"objective", ObjectiveJson(problem.objective)},
        {"defaults",
         {{"queue", NameOf(problem.default_queue)}, {"fusion", NameOf(problem.default_fusion)}}}}},
      {"decide_per", NameOf(problem.decide_per)},
      {"max_groups", problem.max_groups}};
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

env::ProblemSpec SpecOf(const ProblemConfig& config,
                        std::shared_ptr<const sim::OpGraph> graph,
                        std::shared_ptr<const sim::HardwareProfile> hardware) {
  return {.graph = std::move(graph),
          .hardware = std::move(hardware),
          .tasks = config.tasks,
          .objective = config.objective,
          .default_queue = config.default_queue,
          .default_fusion = config.default_fusion,
          .decide_per = config.decide_per,
          .max_groups = config.max_groups};
}

std::string SettingsJson(const ExperimentConfig& config,
                         const AgentConfig& agent,
                         Rewards rewards) {
  Json json = ToJson(config.problem);
  json["budget"] = BudgetJson(BudgetOf(config, agent));
  if (agent.budget.has_value()) {
    json["budget_of"] = "agent";
  }
  if (rewards == Rewards::kGiven) {
    json["problem"]["baseline"] = config.baseline;
  }
  return json.dump();
}

std::string ProblemJson(const ProblemConfig& problem) {
  return ToJson(problem).dump();
}

std::string ParamsJson(const Options& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.values()) {
    std::visit([&json, &key = name](const auto& v) { json[key] = v; }, value);
  }
  return json.dump();
}

}  // namespace opyard::experiments
