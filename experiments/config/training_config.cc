#include "experiments/config/training_config.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "env/problem_words.h"
#include "experiments/config/config_reader.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

constexpr const char* kMember = "{i}";
constexpr std::int64_t kMostMembers = 1'000'000;
constexpr std::int64_t kMostTeacherEvaluations = 1'000'000'000;
constexpr std::int64_t kMostUpdates = std::int64_t{1} << 40;

}  // namespace

std::string NameOfMember(const TrainingGraphFamily& family, std::int64_t index) {
  std::string reference = family.graph;
  const std::string number = std::to_string(index);
  for (std::size_t at = reference.find(kMember); at != std::string::npos;
       at = reference.find(kMember, at + number.size())) {
    reference.replace(at, std::string(kMember).size(), number);
  }
  return reference;
}

std::string TrainingGraphsJson(const TrainingConfig& training) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TrainingGraphFamily& family : training.graphs) {
    list.push_back({{"graph", family.graph}, {"weight", family.weight}, {"count", family.count}});
    if (!family.hardware.empty()) {
      list.back()["hardware"] = family.hardware;
    }
  }
  return list.dump();
}

std::string TeacherJson(const TrainingConfig& training) {
  if (!training.teacher.has_value()) {
    return "null";
  }
  const TeacherConfig& teacher = *training.teacher;
  return nlohmann::ordered_json{
      {"agent", teacher.agent}, {"evaluations", teacher.evaluations}, {"seed", teacher.seed}}
      .dump();
}

std::string TrainingTasksJson(const TrainingConfig& training) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const env::TaskSet& tasks : training.tasks) {
    list.push_back(env::TasksText(tasks));
  }
  return list.dump();
}

void ExperimentLayer::ReadSplit(const YamlNode& node) {
  YamlMap map(reader_, node, "split");
  if (const YamlNode* train = map.Required("train")) {
    ReadTrainingGraphs(*train);
  }
  if (const YamlNode* test = map.Optional("test")) {
    ReadReferences(*test, "test", draft_.config.graphs, draft_.config.graph_places);
  }
  map.Finish();
}

void ExperimentLayer::ReadTrainingGraphs(const YamlNode& node) {
  const std::vector<YamlNode>* items = reader_.Items(node, "train");
  if (items == nullptr) {
    return;
  }
  if (items->empty() || items->size() > kMostEntries) {
    reader_.Problem(node,
                    "train: found " + std::to_string(items->size()) + " entries, expected 1 to " +
                        std::to_string(kMostEntries));
  }
  std::vector<TrainingGraphFamily>& families = draft_.config.training.graphs;
  families.clear();
  for (const YamlNode& item : *items) {
    if (std::optional<TrainingGraphFamily> entry = ReadTrainingEntry(item)) {
      families.push_back(std::move(*entry));
    }
  }
}

std::optional<TrainingGraphFamily> ExperimentLayer::ReadTrainingEntry(const YamlNode& node) {
  TrainingGraphFamily family{.graph = {}, .place = PlaceOf(node)};
  if (node.kind != YamlNode::Kind::kMap) {
    family.graph = reader_.Text(node).value_or("");
  } else {
    YamlMap map(reader_, node, "an entry of train");
    if (const YamlNode* graph = map.Required("graph")) {
      family.graph = reader_.Text(*graph).value_or("");
    }
    if (const YamlNode* weight = map.Optional("weight")) {
      family.weight = reader_.Double(*weight, 1e-9, 1e9).value_or(1.0);
    }
    if (const YamlNode* count = map.Optional("count")) {
      family.count = reader_.Int(*count, 1, kMostMembers).value_or(1);
    }
    if (const YamlNode* hardware = map.Optional("hardware")) {
      std::vector<std::string> places;
      ReadReferences(*hardware, "hardware", family.hardware, places);
    }
    map.Finish();
  }
  const bool has_member = family.graph.find(kMember) != std::string::npos;
  if (family.count > 1 && !has_member) {
    reader_.Problem(node,
                    "found " + Quoted(family.graph) + " with count " +
                        std::to_string(family.count) +
                        ", expected {i} in it, where the number of "
                        "a member goes: \"random:layered?n=60&seed={i}\"");
  }
  return family.graph.empty() ? std::nullopt : std::optional(std::move(family));
}

void ExperimentLayer::ReadTrainingTasks(const YamlNode& node) {
  const std::vector<YamlNode>* items = Entries(node, "tasks");
  if (items == nullptr) {
    return;
  }
  std::vector<env::TaskSet>& lists = draft_.config.training.tasks;
  lists.clear();
  for (const YamlNode& item : *items) {
    env::ProblemSettings settings;
    ReadSetting(item, env::FieldOf("tasks"), settings);
    const env::TaskSet& tasks = settings.tasks;
    if (std::ranges::find(lists, tasks) != lists.end()) {
      reader_.Problem(item, "tasks: found " + env::TasksText(tasks) + " again, expected it once");
    }
    lists.push_back(tasks);
  }
}

void ExperimentLayer::ReadTeacher(const YamlNode& node) {
  TeacherConfig teacher{.place = PlaceOf(node)};
  YamlMap map(reader_, node, "teacher");
  if (const YamlNode* agent = map.Required("agent")) {
    teacher.agent = reader_.Text(*agent).value_or(teacher.agent);
  }
  if (const YamlNode* evaluations = map.Optional("evaluations")) {
    teacher.evaluations =
        reader_.Int(*evaluations, 1, kMostTeacherEvaluations).value_or(teacher.evaluations);
  }
  if (const YamlNode* seed = map.Optional("seed")) {
    teacher.seed = reader_.Int(*seed, 0, std::numeric_limits<std::int64_t>::max()).value_or(0);
  }
  if (const YamlNode* folder = map.Optional("folder")) {
    teacher.folder = reader_.Text(*folder).value_or(teacher.folder);
  }
  map.Finish();
  draft_.config.training.teacher = std::move(teacher);
}

void ExperimentLayer::ReadTraining(const YamlNode& node) {
  TrainingConfig& training = draft_.config.training;
  YamlMap map(reader_, node, "training");
  if (const YamlNode* updates = map.Optional("updates")) {
    training.num_updates = reader_.Int(*updates, 1, kMostUpdates).value_or(training.num_updates);
  }
  if (const YamlNode* tasks = map.Optional("tasks")) {
    ReadTrainingTasks(*tasks);
  }
  if (const YamlNode* seconds = map.Optional("save_seconds")) {
    training.save_seconds = reader_.Double(*seconds, 0.0, 1e6).value_or(training.save_seconds);
  }
  if (const YamlNode* teacher = map.Optional("teacher")) {
    ReadTeacher(*teacher);
  }
  map.Finish();
}

}  // namespace opyard::experiments
