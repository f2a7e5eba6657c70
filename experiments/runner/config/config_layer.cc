#include <limits>
#include <set>

#include "experiments/runner/config/config_reader.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;
constexpr std::size_t kMostEntries = 10'000;

}  // namespace

void ExperimentLayer::Read(YamlMap& map) {
  if (const YamlNode* version = map.Optional("schema_version")) {
    static_cast<void>(reader_.Int(*version, 1, 1));
  }
  if (const YamlNode* name = map.Optional("name")) {
    draft_.config.name = reader_.Name(*name).value_or("");
  }
  ExperimentConfig& config = draft_.config;
  ReadReferences(map, "graphs", config.graphs, config.graph_places);
  ReadReferences(map, "hardware", config.hardware, config.hardware_places);
  if (const YamlNode* problem = map.Optional("problem")) {
    ReadProblem(*problem);
  }
  if (const YamlNode* budget = map.Optional("budget")) {
    ReadBudget(*budget);
  }
  if (const YamlNode* agents = map.Optional("agents")) {
    ReadAgents(*agents);
  }
  if (const YamlNode* seeds = map.Optional("seeds")) {
    ReadSeeds(*seeds);
  }
  ReadGrouping(map);
  if (const YamlNode* split = map.Optional("split")) {
    reader_.Problem(*split,
                    "found split, which is for agents that pre-train; this version has none, so "
                    "leave it out and list the graphs under graphs");
  }
}

void ExperimentLayer::ReadReferences(YamlMap& map,
                                     const std::string& key,
                                     std::vector<std::string>& into,
                                     std::vector<std::string>& places) {
  const YamlNode* node = map.Optional(key);
  if (node == nullptr) {
    return;
  }
  const std::vector<YamlNode>* items = reader_.Items(*node, key);
  if (items == nullptr) {
    return;
  }
  if (items->empty() || items->size() > kMostEntries) {
    reader_.Problem(*node,
                    key + ": found " + std::to_string(items->size()) + " entries, expected 1 to " +
                        std::to_string(kMostEntries));
  }
  into.clear();
  places.clear();
  std::set<std::string> seen;
  for (const YamlNode& item : *items) {
    const std::optional<std::string> reference = reader_.Text(item);
    if (reference.has_value() && !seen.insert(*reference).second) {
      reader_.Problem(item, key + ": found " + Quoted(*reference) + " twice, expected it once");
    } else if (reference.has_value()) {
      into.push_back(*reference);
      places.push_back(PlaceOf(item));
    }
  }
}

void ExperimentLayer::ReadProblem(const YamlNode& node) {
  YamlMap map(reader_, node, "problem");
  if (const YamlNode* tasks = map.Optional("tasks")) {
    ReadTasks(*tasks);
  }
  if (const YamlNode* objective = map.Optional("objective")) {
    ReadObjective(*objective);
  }
  if (const YamlNode* defaults = map.Optional("defaults")) {
    ReadDefaults(*defaults);
  }
  if (const YamlNode* baseline = map.Optional("baseline")) {
    draft_.config.baseline = reader_.Text(*baseline).value_or(draft_.config.baseline);
    draft_.baseline_place = PlaceOf(*baseline);
  }
  map.Finish();
}

void ExperimentLayer::ReadTasks(const YamlNode& node) {
  const std::vector<YamlNode>* items = reader_.Items(node, "tasks");
  if (items == nullptr) {
    return;
  }
  std::vector<std::string> names;
  for (const YamlNode& item : *items) {
    const std::optional<std::string> name = reader_.Text(item);
    if (!name.has_value()) {
      return;
    }
    names.push_back(*name);
  }
  draft_.config.problem.tasks = TasksNamed(names, PlaceOf(node) + ": tasks", problems_);
}

void ExperimentLayer::ReadObjective(const YamlNode& node) {
  env::Objective& objective = draft_.config.problem.objective;
  if (node.kind != YamlNode::Kind::kMap) {
    const auto name = reader_.Choice(node, {"makespan", "peak_memory"});
    const bool is_memory = name == "peak_memory";
    objective = {.kind =
                     is_memory ? env::ObjectiveKind::kPeakMemory : env::ObjectiveKind::kMakespan};
    return;
  }
  YamlMap map(reader_, node, "objective");
  if (const YamlNode* weighted = map.Required("weighted")) {
    YamlMap weights(reader_, *weighted, "weighted");
    constexpr double kHeaviest = 1e9;
    const auto weight = [&](const char* key) {
      const YamlNode* value = weights.Optional(key);
      return value == nullptr ? 0.0 : reader_.Double(*value, 0.0, kHeaviest).value_or(1.0);
    };
    objective = {.kind = env::ObjectiveKind::kWeighted,
                 .makespan_weight = weight("makespan"),
                 .peak_memory_weight = weight("peak_memory")};
    weights.Finish();
    if (objective.makespan_weight == 0.0 && objective.peak_memory_weight == 0.0) {
      reader_.Problem(*weighted, "weighted: found no weight above 0, expected at least one");
    }
  }
  map.Finish();
}

void ExperimentLayer::ReadDefaults(const YamlNode& node) {
  YamlMap map(reader_, node, "defaults");
  if (const YamlNode* queue = map.Optional("queue")) {
    draft_.config.problem.default_queue = reader_.Choice(*queue, {"fifo", "priority"}) == "priority"
                                              ? sim::QueueDiscipline::kPriority
                                              : sim::QueueDiscipline::kFifo;
  }
  if (const YamlNode* fusion = map.Optional("fusion")) {
    draft_.config.problem.default_fusion =
        reader_.Choice(*fusion, {"framework", "none"}) == "framework"
            ? env::DefaultFusion::kFramework
            : env::DefaultFusion::kNone;
  }
  map.Finish();
}

void ExperimentLayer::ReadBudget(const YamlNode& node) {
  // null lifts a limit that another layer has set.
  env::Budget& budget = draft_.config.budget;
  YamlMap map(reader_, node, "budget");
  if (const YamlNode* evaluations = map.Optional("evaluations")) {
    budget.evaluations = evaluations->kind == YamlNode::Kind::kNull
                             ? std::nullopt
                             : reader_.Int(*evaluations, 1, kLargestCount);
  }
  if (const YamlNode* seconds = map.Optional("seconds")) {
    constexpr double kShortest = 0.001;
    budget.seconds = seconds->kind == YamlNode::Kind::kNull
                         ? std::nullopt
                         : reader_.Double(*seconds, kShortest, kLargestSeconds);
  }
  map.Finish();
}

void ExperimentLayer::ReadSeeds(const YamlNode& node) {
  const std::vector<YamlNode>* items = reader_.Items(node, "seeds");
  if (items == nullptr) {
    return;
  }
  if (items->empty() || items->size() > kMostEntries) {
    reader_.Problem(node,
                    "seeds: found " + std::to_string(items->size()) + " entries, expected 1 to " +
                        std::to_string(kMostEntries));
  }
  draft_.config.seeds.clear();
  std::set<std::int64_t> seen;
  for (const YamlNode& item : *items) {
    const auto seed = reader_.Int(item, 0, std::numeric_limits<std::int64_t>::max());
    if (seed.has_value() && !seen.insert(*seed).second) {
      reader_.Problem(item, "seeds: found " + std::to_string(*seed) + " twice, expected it once");
    } else if (seed.has_value()) {
      draft_.config.seeds.push_back(*seed);
    }
  }
}

void ExperimentLayer::ReadGrouping(YamlMap& map) {
  ProblemConfig& problem = draft_.config.problem;
  if (const YamlNode* decide_per = map.Optional("decide_per")) {
    problem.decide_per = reader_.Choice(*decide_per, {"group", "op"}) == "op"
                             ? env::DecidePer::kOp
                             : env::DecidePer::kGroup;
  }
  if (const YamlNode* max_groups = map.Optional("max_groups")) {
    constexpr std::int64_t kMostGroups = 1'000'000;
    problem.max_groups =
        static_cast<std::int32_t>(reader_.Int(*max_groups, 1, kMostGroups).value_or(1));
  }
}

}  // namespace opyard::experiments
