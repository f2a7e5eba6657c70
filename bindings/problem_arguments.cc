// What a problem is asked, in words of Python callers and back.
#include <limits>

#include "bindings/bindings.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::bindings {

namespace {

bool IsBadWeight(double weight) {
  return !(weight >= 0.0 && weight <= std::numeric_limits<double>::max());
}

env::Objective WeightedObjective(const std::map<std::string, double>& weights) {
  env::Objective objective{.kind = env::ObjectiveKind::kWeighted, .makespan_weight = 0.0};
  ProblemList problems;
  for (const auto& [name, weight] : weights) {
    if (IsBadWeight(weight)) {
      problems.Add("objective/weighted/" + name, "expected a number that is not negative");
    } else if (name == "makespan") {
      objective.makespan_weight = weight;
    } else if (name == "peak_memory") {
      objective.peak_memory_weight = weight;
    } else {
      problems.Add("objective/weighted",
                   "found " + Quoted(name) + ", expected makespan, peak_memory");
    }
  }
  if (objective.makespan_weight + objective.peak_memory_weight <= 0.0) {
    problems.Add("objective/weighted", "expected a weight above 0");
  }
  problems.ThrowIfAny();
  return objective;
}

}  // namespace

env::TaskSet ToTasks(const std::vector<std::string>& tasks) {
  if (tasks.empty()) {
    throw InputError("tasks: found none, expected some of placement, scheduling, fusion");
  }
  env::TaskSet set{.placement = false};
  for (const std::string& task : tasks) {
    if (task != "placement" && task != "scheduling" && task != "fusion") {
      throw InputError("tasks: found " + Quoted(task) + ", expected placement, scheduling, fusion");
    }
    set.placement = set.placement || task == "placement";
    set.scheduling = set.scheduling || task == "scheduling";
    set.fusion = set.fusion || task == "fusion";
  }
  return set;
}

env::Objective ToObjective(const ObjectiveSpec& objective) {
  if (const auto* name = std::get_if<std::string>(&objective)) {
    if (*name == "makespan") {
      return {.kind = env::ObjectiveKind::kMakespan};
    }
    if (*name == "peak_memory") {
      return {.kind = env::ObjectiveKind::kPeakMemory};
    }
    throw InputError("objective: found " + Quoted(*name) +
                     ", expected makespan, peak_memory or {\"weighted\": {…}}");
  }
  const auto& table = std::get<std::map<std::string, std::map<std::string, double>>>(objective);
  if (table.size() != 1 || table.begin()->first != "weighted") {
    throw InputError("objective: expected the one key \"weighted\"");
  }
  return WeightedObjective(table.begin()->second);
}

GroupRule ToGroupRule(const GroupSpec& group) {
  if (const auto* name = std::get_if<std::string>(&group)) {
    if (*name == "colocation") {
      return {};
    }
    if (*name == "none") {
      return {.decide_per = env::DecidePer::kOp};
    }
    throw InputError("group: found " + Quoted(*name) +
                     ", expected \"colocation\", \"none\" or a number of groups");
  }
  constexpr std::int64_t kMostGroups = std::numeric_limits<std::int32_t>::max();
  const std::int64_t count = std::get<std::int64_t>(group);
  if (count < 1 || count > kMostGroups) {
    throw InputError("group: found " + std::to_string(count) + ", expected at least 1, at most " +
                     std::to_string(kMostGroups));
  }
  return {.max_groups = static_cast<std::int32_t>(count)};
}

env::DefaultFusion ToDefaultFusion(const std::string& name) {
  if (name != "framework" && name != "none") {
    throw InputError("fusion: found " + Quoted(name) + ", expected framework, none");
  }
  return name == "framework" ? env::DefaultFusion::kFramework : env::DefaultFusion::kNone;
}

std::vector<std::string> TaskNames(const env::TaskSet& tasks) {
  std::vector<std::string> names;
  for (const auto& [is_open, name] : {std::pair(tasks.placement, "placement"),
                                      std::pair(tasks.scheduling, "scheduling"),
                                      std::pair(tasks.fusion, "fusion")}) {
    if (is_open) {
      names.emplace_back(name);
    }
  }
  return names;
}

ObjectiveSpec SpecOf(const env::Objective& objective) {
  switch (objective.kind) {
    case env::ObjectiveKind::kMakespan:
      return "makespan";
    case env::ObjectiveKind::kPeakMemory:
      return "peak_memory";
    case env::ObjectiveKind::kWeighted:
      break;
  }
  return std::map<std::string, std::map<std::string, double>>{
      {"weighted",
       {{"makespan", objective.makespan_weight}, {"peak_memory", objective.peak_memory_weight}}}};
}

GroupSpec SpecOfGroups(const env::ProblemSpec& spec) {
  if (spec.decide_per == env::DecidePer::kOp) {
    return "none";
  }
  return spec.max_groups;
}

}  // namespace opyard::bindings
