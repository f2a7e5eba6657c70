#include "env/problem_words.h"

#include <algorithm>
#include <array>
#include <set>

#include "sim/base/check.h"
#include "sim/base/quote.h"
#include "sim/cost/cost_models.h"
#include "sim/graph/name_scopes.h"
#include "sim/io/machine/machine_words.h"
#include "sim/plan/queue_name.h"

namespace opyard::env {
namespace {

using Names = std::vector<std::string>;

// A value and what users call it. Where a value has two names, the first is printed.
template <class Value>
struct Word {
  Value value;
  const char* name;
};

constexpr const char* kMakespan = "makespan";
constexpr const char* kPeakMemory = "peak_memory";

constexpr auto kTasks = std::to_array<Word<bool TaskSet::*>>({
    {&TaskSet::placement, "placement"},
    {&TaskSet::scheduling, "scheduling"},
    {&TaskSet::fusion, "fusion"},
});
constexpr auto kObjectives = std::to_array<Word<ObjectiveKind>>({
    {ObjectiveKind::kMakespan, kMakespan},
    {ObjectiveKind::kPeakMemory, kPeakMemory},
    {ObjectiveKind::kWeighted, "weighted"},
});
constexpr auto kWeights = std::to_array<Word<double Objective::*>>({
    {&Objective::makespan_weight, kMakespan},
    {&Objective::peak_memory_weight, kPeakMemory},
});
constexpr auto kFusions = std::to_array<Word<DefaultFusion>>({
    {DefaultFusion::kFramework, "framework"},
    {DefaultFusion::kNone, "none"},
    {DefaultFusion::kModule, "module"},
});
constexpr auto kUnits = std::to_array<Word<DecidePer>>({
    {DecidePer::kGroup, "group"},
    {DecidePer::kOp, "op"},
    {DecidePer::kModule, "module"},
    {DecidePer::kGroup, "colocation"},
    {DecidePer::kOp, "none"},
});

template <class Table>
Names NamesIn(const Table& table) {
  Names names;
  for (const auto& word : table) {
    names.emplace_back(word.name);
  }
  return names;
}

template <class Value, std::size_t kSize>
const char* NameIn(const std::array<Word<Value>, kSize>& table, Value value) {
  const auto* const found = std::ranges::find(table, value, &Word<Value>::value);
  OPYARD_CHECK(found != table.end(), "every value has a name");
  return found->name;
}

template <class Value, std::size_t kSize>
std::optional<Value> FindIn(const std::array<Word<Value>, kSize>& table, const std::string& name) {
  const auto* const found =
      std::ranges::find_if(table, [&name](const auto& word) { return word.name == name; });
  return found == table.end() ? std::nullopt : std::optional(found->value);
}

// "placement, scheduling or fusion".
std::string OneOf(Names names) {
  const std::string last = names.back();
  names.pop_back();
  return JoinNames(names) + " or " + last;
}

// `value`, the result of a search for `name`; adds a problem if there is none.
template <class Value>
std::optional<Value> Found(std::optional<Value> value,
                           const std::string& name,
                           const Names& known,
                           const std::string& place,
                           Diagnostics& diagnostics) {
  if (!value.has_value()) {
    diagnostics.AddError(place,
                         "found " + Quoted(name) + ", expected one of " + JoinNames(known) +
                             DidYouMean(name, known));
  }
  return value;
}

std::string Shown(const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? ToText(value) : Quoted(*text);
}

// The number that `value` is, if it may be a weight.
std::optional<double> FindWeight(const OptionValue& value) {
  double weight = -1.0;
  if (const auto* number = std::get_if<double>(&value)) {
    weight = *number;
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    weight = static_cast<double>(*whole);
  }
  const bool is_legal = weight >= 0.0 && weight <= kHeaviestWeight;  // false for NaN
  return is_legal ? std::optional(weight) : std::nullopt;
}

void ReadWeight(const WrittenWeight& written, Objective& objective, Diagnostics& diagnostics) {
  const auto member = FindIn(kWeights, written.name);
  const std::optional<double> weight = FindWeight(written.value);
  if (!member.has_value()) {
    const Names known = NamesIn(kWeights);
    diagnostics.AddError(written.place,
                         "found the weight " + Quoted(written.name) + ", expected one of " +
                             JoinNames(known) + DidYouMean(written.name, known));
  } else if (!weight.has_value()) {
    diagnostics.AddError(written.place,
                         "found " + Shown(written.value) + " as the weight of " + written.name +
                             ", expected a number from 0 to " + ToText(kHeaviestWeight));
  } else {
    objective.** member = *weight;
  }
}

// The unit that `name` is; nothing for none.
std::optional<DecisionUnit> FindUnit(const std::string& name) {
  const std::string deep = std::string(NameIn(kUnits, DecidePer::kModule)) + ":";
  if (!name.starts_with(deep)) {
    const auto unit = FindIn(kUnits, name);
    return unit.has_value() ? std::optional(DecisionUnit{.decide_per = *unit}) : std::nullopt;
  }
  const OptionValue value = ParseOptionValue(name.substr(deep.size()));
  const auto* const depth = std::get_if<std::int64_t>(&value);
  if (depth == nullptr || *depth < 1 || *depth > static_cast<std::int64_t>(sim::kMostModuleDepth)) {
    return std::nullopt;
  }
  return DecisionUnit{.decide_per = DecidePer::kModule,
                      .module_depth = static_cast<std::int32_t>(*depth)};
}

// The legal units, for a message about `name`, which is none, and the closest one.
std::string UnitsBeside(const std::string& name) {
  const bool has_depth = name.starts_with(NameIn(kUnits, DecidePer::kModule));
  return JoinNames(DecidePerNames()) + DidYouMean(name, DecidePerNames()) +
         (has_depth ? "; of a depth module:1 to module:" + std::to_string(sim::kMostModuleDepth)
                    : "");
}

}  // namespace

std::optional<TaskSet> ReadTasks(const std::vector<std::string>& names,
                                 const std::string& place,
                                 Diagnostics& diagnostics) {
  TaskSet tasks{.placement = false};
  Diagnostics wrong;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    const auto task = FindIn(kTasks, name);
    if (!seen.insert(name).second) {
      wrong.AddError(place, "found the task " + Quoted(name) + " twice, expected it once");
    } else if (!task.has_value()) {
      wrong.AddError(place,
                     "found the task " + Quoted(name) + ", expected " + OneOf(TaskNames()) +
                         DidYouMean(name, TaskNames()));
    } else {
      tasks.** task = true;
    }
  }
  if (names.empty()) {
    wrong.AddError(place, "found no task, expected some of " + JoinNames(TaskNames()));
  }
  diagnostics.Append(wrong);
  return wrong.empty() ? std::optional(tasks) : std::nullopt;
}

std::vector<std::string> NamesOf(const TaskSet& tasks) {
  Names names;
  for (const auto& word : kTasks) {
    if (tasks.*word.value) {
      names.emplace_back(word.name);
    }
  }
  return names;
}

std::vector<std::string> TaskNames() {
  return NamesIn(kTasks);
}

std::string TasksText(const TaskSet& tasks) {
  return JoinedNames(NamesOf(tasks));
}

std::optional<Names> ReadDevices(const Names& names,
                                 const std::string& place,
                                 Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.count();
  if (names.empty()) {
    diagnostics.AddError(place, "found no device, expected at least one");
  }
  std::set<std::string> devices;
  for (const std::string& name : names) {
    if (name.empty()) {
      diagnostics.AddError(place, "found an empty name, expected that of a device");
    } else if (!devices.insert(name).second) {
      diagnostics.AddError(place, "found the device " + Quoted(name) + " twice, expected it once");
    }
  }
  return diagnostics.count() == before ? std::optional(Names(devices.begin(), devices.end()))
                                       : std::nullopt;
}

std::optional<sim::OnExceed> ReadMemory(const std::string& name,
                                        const std::string& place,
                                        Diagnostics& diagnostics) {
  const auto* const found = std::ranges::find(sim::kOnExceedWords, name);
  const auto memory =
      found == sim::kOnExceedWords.end()
          ? std::nullopt
          : std::optional(static_cast<sim::OnExceed>(found - sim::kOnExceedWords.begin()));
  return Found(memory, name, MemoryNames(), place, diagnostics);
}

std::string NameOf(sim::OnExceed memory) {
  return std::string(sim::WordOf(sim::kOnExceedWords, memory));
}

std::vector<std::string> MemoryNames() {
  return {sim::kOnExceedWords.begin(), sim::kOnExceedWords.end()};
}

std::optional<std::string> ReadCostModel(const std::string& name,
                                         const std::string& place,
                                         Diagnostics& diagnostics) {
  const Names known = sim::CostModelNames();
  const bool is_known = std::ranges::find(known, name) != known.end();
  return Found(is_known ? std::optional(name) : std::nullopt, name, known, place, diagnostics);
}

std::optional<Objective> ReadObjective(const std::string& text,
                                       const std::string& place,
                                       Diagnostics& diagnostics) {
  const Names parts = SplitText(text, ':');
  if (parts.size() == 1 + kWeights.size() && parts[0] == NameOf(ObjectiveKind::kWeighted)) {
    std::vector<WrittenWeight> weights;
    for (std::size_t i = 0; i < kWeights.size(); ++i) {
      weights.push_back(
          {.name = kWeights[i].name, .value = ParseOptionValue(parts[i + 1]), .place = place});
    }
    return ReadWeights(weights, place, diagnostics);
  }
  const auto kind = FindIn(kObjectives, text);
  if (kind.has_value() && *kind != ObjectiveKind::kWeighted) {
    return Objective{.kind = *kind};
  }
  Names known = ObjectiveNames();
  known.back() += ":A:B";
  diagnostics.AddError(
      place,
      "found " + Quoted(text) + ", expected " + OneOf(known) +
          " with a weight above 0, for A x makespan / lower bound + B x peak memory / "
          "largest device" +
          DidYouMean(text, known));
  return std::nullopt;
}

std::string ObjectiveText(const Objective& objective) {
  std::string text = NameOf(objective.kind);
  if (objective.kind == ObjectiveKind::kWeighted) {
    for (const auto& word : kWeights) {
      text += ":" + ToText(objective.*word.value);
    }
  }
  return text;
}

const char* NameOf(ObjectiveKind kind) {
  return NameIn(kObjectives, kind);
}

std::vector<std::string> ObjectiveNames() {
  return NamesIn(kObjectives);
}

std::optional<Objective> ReadWeights(std::span<const WrittenWeight> weights,
                                     const std::string& place,
                                     Diagnostics& diagnostics) {
  Objective objective{
      .kind = ObjectiveKind::kWeighted, .makespan_weight = 0.0, .peak_memory_weight = 0.0};
  Diagnostics wrong;
  for (const WrittenWeight& weight : weights) {
    ReadWeight(weight, objective, wrong);
  }
  if (wrong.empty() && objective.makespan_weight + objective.peak_memory_weight <= 0.0) {
    wrong.AddError(place, "weighted: found no weight above 0, expected at least one");
  }
  diagnostics.Append(wrong);
  return wrong.empty() ? std::optional(objective) : std::nullopt;
}

std::map<std::string, double> WeightsOf(const Objective& objective) {
  OPYARD_CHECK(objective.kind == ObjectiveKind::kWeighted, "only weighted objectives have weights");
  std::map<std::string, double> weights;
  for (const auto& word : kWeights) {
    weights[word.name] = objective.*word.value;
  }
  return weights;
}

std::optional<sim::QueueDiscipline> ReadQueue(const std::string& name,
                                              const std::string& place,
                                              Diagnostics& diagnostics) {
  return Found(sim::FindQueue(name), name, sim::QueueNames(), place, diagnostics);
}

std::optional<DefaultFusion> ReadFusion(const std::string& name,
                                        const std::string& place,
                                        Diagnostics& diagnostics) {
  return Found(FindIn(kFusions, name), name, FusionNames(), place, diagnostics);
}

const char* NameOf(DefaultFusion fusion) {
  return NameIn(kFusions, fusion);
}

std::vector<std::string> FusionNames() {
  return NamesIn(kFusions);
}

std::optional<DecisionUnit> ReadDecisionUnit(const std::string& name,
                                             const std::string& place,
                                             Diagnostics& diagnostics) {
  const std::optional<DecisionUnit> unit = FindUnit(name);
  if (!unit.has_value()) {
    diagnostics.AddError(place, "found " + Quoted(name) + ", expected one of " + UnitsBeside(name));
  }
  return unit;
}

std::string UnitText(const DecisionUnit& unit) {
  const std::string depth =
      unit.module_depth.has_value() ? ":" + std::to_string(*unit.module_depth) : "";
  return NameOf(unit.decide_per) + depth;
}

const char* NameOf(DecidePer decide_per) {
  return NameIn(kUnits, decide_per);
}

std::vector<std::string> DecidePerNames() {
  return NamesIn(kUnits);
}

std::optional<DecisionUnits> ReadUnits(const UnitsWord& word,
                                       const std::string& place,
                                       Diagnostics& diagnostics) {
  if (const auto* name = std::get_if<std::string>(&word)) {
    const auto unit = FindUnit(*name);
    if (!unit.has_value()) {
      diagnostics.AddError(place,
                           "found " + Quoted(*name) + ", expected a number of groups or one of " +
                               UnitsBeside(*name));
      return std::nullopt;
    }
    return DecisionUnits{.decide_per = unit->decide_per, .module_depth = unit->module_depth};
  }
  const std::int64_t count = std::get<std::int64_t>(word);
  if (count < 0 || count > kMostGroups) {
    diagnostics.AddError(place,
                         "found " + std::to_string(count) + ", expected a whole number from 0 to " +
                             std::to_string(kMostGroups));
    return std::nullopt;
  }
  return DecisionUnits{.max_groups = static_cast<std::int32_t>(count)};
}

UnitsWord WordOf(const DecisionUnits& units) {
  if (units.decide_per != DecidePer::kGroup || units.max_groups == 0) {
    return UnitText({.decide_per = units.decide_per, .module_depth = units.module_depth});
  }
  return units.max_groups;
}

}  // namespace opyard::env
