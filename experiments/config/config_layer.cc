#include <limits>
#include <set>

#include "env/problem_words.h"
#include "experiments/config/config_reader.h"
#include "sim/base/quote.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;

}  // namespace

void ExperimentLayer::Read(YamlMap& map) {
  if (const YamlNode* version = map.Optional("schema_version")) {
    static_cast<void>(reader_.Int(*version, 1, 1));
  }
  if (const YamlNode* name = map.Optional("name")) {
    draft_.config.name = reader_.Name(*name).value_or("");
  }
  ReadInputs(map);
  if (const YamlNode* problem = map.Optional("problem")) {
    ReadProblem(*problem);
  }
  if (const YamlNode* budget = map.Optional("budget")) {
    ReadBudget(*budget, draft_.config.budget);
  }
  if (const YamlNode* agents = map.Optional("agents")) {
    ReadAgents(*agents);
  }
  if (const YamlNode* seeds = map.Optional("seeds")) {
    ReadSeeds(*seeds);
  }
  ReadGrouping(map);
  if (const YamlNode* devices = map.Optional("devices")) {
    ReadDevices(*devices);
  }
  if (const YamlNode* split = map.Optional("split")) {
    ReadSplit(*split);
  }
  if (const YamlNode* training = map.Optional("training")) {
    ReadTraining(*training);
  }
  if (const YamlNode* tuning = map.Optional("tuning")) {
    ReadTuning(*tuning);
  }
  if (const YamlNode* optima = map.Optional("optima")) {
    draft_.config.optima = reader_.Text(*optima).value_or("");
    draft_.config.optima_place = PlaceOf(*optima);
  }
}

void ExperimentLayer::ReadProblem(const YamlNode& node) {
  YamlMap map(reader_, node, "problem");
  if (const YamlNode* tasks = map.Optional("tasks")) {
    ReadTasks(*tasks, draft_.config.problem.tasks);
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
  if (const YamlNode* memory = map.Optional("memory")) {
    std::optional<sim::OnExceed>& rule = draft_.config.problem.memory;
    if (memory->kind == YamlNode::Kind::kNull) {  // as the machine says, whatever a layer before
      rule = std::nullopt;
    } else if (const std::optional<std::string> word = WordOf(*memory, MemoryNames())) {
      rule = ReadMemory(*word, PlaceOf(*memory), diagnostics_);
    }
  }
  map.Finish();
}

void ExperimentLayer::ReadTasks(const YamlNode& node, env::TaskSet& tasks) {
  const std::vector<YamlNode>* items = reader_.Items(node, "tasks");
  if (items == nullptr) {
    return;
  }
  std::vector<std::string> names;
  for (const YamlNode& item : *items) {
    const std::optional<std::string> name = WordOf(item, env::TaskNames());
    if (!name.has_value()) {
      return;
    }
    names.push_back(*name);
  }
  tasks = env::ReadTasks(names, PlaceOf(node) + ": tasks", diagnostics_).value_or(tasks);
}

void ExperimentLayer::ReadObjective(const YamlNode& node) {
  env::Objective& objective = draft_.config.problem.objective;
  if (node.kind != YamlNode::Kind::kMap) {
    ReadWord(node, env::ObjectiveNames(), env::ReadObjective, objective);
    return;
  }
  YamlMap map(reader_, node, "objective");
  if (const YamlNode* weighted = map.Required(NameOf(env::ObjectiveKind::kWeighted))) {
    objective = ReadWeights(*weighted).value_or(objective);
  }
  map.Finish();
}

std::optional<env::Objective> ExperimentLayer::ReadWeights(const YamlNode& node) {
  const YamlMap map(reader_, node, NameOf(env::ObjectiveKind::kWeighted));
  if (!map.is_map()) {
    return std::nullopt;
  }
  std::vector<env::WrittenWeight> weights;
  for (const YamlNode::Entry& entry : node.entries) {
    const std::optional<OptionValue> value = ParamValue(entry.value);
    if (!value.has_value()) {
      return std::nullopt;
    }
    weights.push_back(
        {.name = entry.key, .value = *value, .place = reader_.Place(entry.line, entry.column)});
  }
  return env::ReadWeights(weights, PlaceOf(node), diagnostics_);
}

void ExperimentLayer::ReadDefaults(const YamlNode& node) {
  ProblemConfig& problem = draft_.config.problem;
  YamlMap map(reader_, node, "defaults");
  if (const YamlNode* queue = map.Optional("queue")) {
    ReadWord(*queue, sim::QueueNames(), env::ReadQueue, problem.default_queue);
  }
  if (const YamlNode* fusion = map.Optional("fusion")) {
    ReadWord(*fusion, env::FusionNames(), env::ReadFusion, problem.default_fusion);
  }
  map.Finish();
}

void ExperimentLayer::ReadBudget(const YamlNode& node, env::Budget& budget) {
  // null lifts a limit that another layer has set.
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
  const std::vector<YamlNode>* items = Entries(node, "seeds");
  if (items == nullptr) {
    return;
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
    ReadWord(*decide_per, env::DecidePerNames(), env::ReadDecidePer, problem.decide_per);
  }
  if (const YamlNode* max_groups = map.Optional("max_groups")) {
    problem.max_groups =
        static_cast<std::int32_t>(reader_.Int(*max_groups, 1, env::kMostGroups).value_or(1));
  }
}

void ExperimentLayer::ReadDevices(const YamlNode& node) {
  std::vector<std::string>& devices = draft_.config.problem.devices;
  if (node.kind == YamlNode::Kind::kNull) {  // all, whatever a layer before
    devices.clear();
    return;
  }
  const std::vector<YamlNode>* items = reader_.Items(node, "devices");
  if (items == nullptr) {
    return;
  }
  std::vector<std::string> names;
  for (const YamlNode& item : *items) {
    if (const std::optional<std::string> name = reader_.Name(item)) {
      names.push_back(*name);
    }
  }
  if (names.size() == items->size()) {
    devices = env::ReadDevices(names, PlaceOf(node) + ": devices", diagnostics_).value_or(devices);
  }
}

std::optional<std::string> ExperimentLayer::WordOf(const YamlNode& node,
                                                   const std::vector<std::string>& known) {
  if (node.kind == YamlNode::Kind::kScalar) {
    return node.text;
  }
  return reader_.Choice(node, known);  // a list, a map or nothing, which it refuses
}

template <class Value>
void ExperimentLayer::ReadWord(const YamlNode& node,
                               const std::vector<std::string>& known,
                               Reading<Value> read,
                               Value& into) {
  if (const std::optional<std::string> word = WordOf(node, known)) {
    into = read(*word, PlaceOf(node), diagnostics_).value_or(into);
  }
}

}  // namespace opyard::experiments
