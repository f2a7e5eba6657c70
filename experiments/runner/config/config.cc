#include "experiments/runner/config/config.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json ObjectiveJson(const env::Objective& objective) {
  if (objective.kind != env::ObjectiveKind::kWeighted) {
    return NameOf(objective.kind);
  }
  return {
      {NameOf(objective.kind),
       {{"makespan", objective.makespan_weight}, {"peak_memory", objective.peak_memory_weight}}}};
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

std::vector<std::string> TaskNames(const env::TaskSet& tasks) {
  std::vector<std::string> names;
  if (tasks.placement) {
    names.emplace_back("placement");
  }
  if (tasks.scheduling) {
    names.emplace_back("scheduling");
  }
  if (tasks.fusion) {
    names.emplace_back("fusion");
  }
  return names;
}

}  // namespace

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

std::string SettingsJson(const ProblemConfig& problem, const env::Budget& budget) {
  const bool is_fifo = problem.default_queue == sim::QueueDiscipline::kFifo;
  const bool is_framework = problem.default_fusion == env::DefaultFusion::kFramework;
  const bool is_per_op = problem.decide_per == env::DecidePer::kOp;
  const Json json = {{"problem",
                      {{"tasks", TaskNames(problem.tasks)},
                       {"objective", ObjectiveJson(problem.objective)},
                       {"defaults",
                        {{"queue", is_fifo ? "fifo" : "priority"},
                         {"fusion", is_framework ? "framework" : "none"}}}}},
                     {"decide_per", is_per_op ? "op" : "group"},
                     {"max_groups", problem.max_groups},
                     {"budget", BudgetJson(budget)}};
  return json.dump();
}

std::string ParamsJson(const Options& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.values()) {
    std::visit([&json, &key = name](const auto& v) { json[key] = v; }, value);
  }
  return json.dump();
}

const char* NameOf(env::ObjectiveKind kind) {
  switch (kind) {
    case env::ObjectiveKind::kMakespan:
      return "makespan";
    case env::ObjectiveKind::kPeakMemory:
      return "peak_memory";
    case env::ObjectiveKind::kWeighted:
      break;
  }
  return "weighted";
}

std::string TasksText(const env::TaskSet& tasks) {
  std::string text;
  for (const std::string& name : TaskNames(tasks)) {
    text += (text.empty() ? "" : ",") + name;
  }
  return text;
}

env::TaskSet TasksNamed(const std::vector<std::string>& names,
                        const std::string& place,
                        ProblemList& problems) {
  const std::vector<std::string> known = {"placement", "scheduling", "fusion"};
  env::TaskSet tasks{.placement = false};
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      problems.Add(place, "found the task " + Quoted(name) + " twice");
    } else if (std::ranges::find(known, name) == known.end()) {
      problems.Add(place,
                   "found the task " + Quoted(name) + ", expected placement, scheduling or fusion" +
                       DidYouMean(name, known));
    }
    tasks.placement = tasks.placement || name == "placement";
    tasks.scheduling = tasks.scheduling || name == "scheduling";
    tasks.fusion = tasks.fusion || name == "fusion";
  }
  if (names.empty()) {
    problems.Add(place, "found no task, expected some of placement, scheduling, fusion");
  }
  return tasks;
}

}  // namespace opyard::experiments
