#include "experiments/config/config.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "env/problem_words.h"
#include "sim/base/quote.h"
#include "sim/io/machine/machine_words.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

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
  Json json = {
      {"problem",
       {{"tasks", env::NamesOf(problem.tasks)},
        {"objective", ObjectiveJson(problem.objective)},
        {"defaults",
         {{"queue", NameOf(problem.default_queue)}, {"fusion", NameOf(problem.default_fusion)}}}}},
      {"decide_per", NameOf(problem.decide_per)},
      {"max_groups", problem.max_groups}};
  if (problem.memory.has_value()) {
    json["problem"]["memory"] = NameOf(*problem.memory);
  }
  if (!problem.devices.empty()) {
    json["devices"] = problem.devices;
  }
  return json;
}

// What the weights of an agent that is trained for its runs depend on, beside its parameters and
// the problem.
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

std::optional<sim::OnExceed> ReadMemory(const std::string& word,
                                        const std::string& place,
                                        Diagnostics& diagnostics) {
  const auto* const found = std::ranges::find(sim::kOnExceedWords, word);
  if (found == sim::kOnExceedWords.end()) {
    diagnostics.AddError(place,
                         "found " + Quoted(word) + ", expected one of " + JoinNames(MemoryNames()) +
                             DidYouMean(word, MemoryNames()));
    return std::nullopt;
  }
  return static_cast<sim::OnExceed>(found - sim::kOnExceedWords.begin());
}

std::string NameOf(sim::OnExceed memory) {
  return std::string(sim::WordOf(sim::kOnExceedWords, memory));
}

std::vector<std::string> MemoryNames() {
  return {sim::kOnExceedWords.begin(), sim::kOnExceedWords.end()};
}

std::shared_ptr<const sim::HardwareProfile> WithMemory(
    std::shared_ptr<const sim::HardwareProfile> machine, std::optional<sim::OnExceed> memory) {
  if (!memory.has_value() || *memory == machine->memory.on_exceed) {
    return machine;
  }
  auto changed = std::make_shared<sim::HardwareProfile>(*machine);
  changed->memory.on_exceed = *memory;
  return changed;
}

env::ProblemSpec SpecOf(const ProblemConfig& config,
                        std::shared_ptr<const sim::OpGraph> graph,
                        std::shared_ptr<const sim::HardwareProfile> hardware) {
  return {.graph = std::move(graph),
          .hardware = WithMemory(std::move(hardware), config.memory),
          .tasks = config.tasks,
          .objective = config.objective,
          .default_queue = config.default_queue,
          .default_fusion = config.default_fusion,
          .decide_per = config.decide_per,
          .max_groups = config.max_groups,
          .devices = config.devices};
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
  if (agent.is_trained) {
    json["training"] = TrainingJson(config);
  }
  if (agent.plugin.has_value()) {
    json["plugin"] = {{"file", fs::path(agent.plugin->path).filename().string()},
                      {"sha256", agent.plugin->sha256}};
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
