#include "env/problem_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "env/problem_words.h"
#include "sim/base/check.h"
#include "sim/base/options.h"
#include "sim/base/quote.h"
#include "sim/cost/cost_models.h"
#include "sim/plan/queue_name.h"

namespace opyard::env {
namespace {

using Names = std::vector<std::string>;

std::string Described(const SettingValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) {
    return Quoted(*word);
  }
  if (std::holds_alternative<Names>(value)) {
    return "a list";
  }
  if (std::holds_alternative<WrittenWeights>(value)) {
    return "a map";
  }
  return std::holds_alternative<std::monostate>(value) ? "nothing" : SettingText(value);
}

// The alternative of `value` that is a `Form`; null, and a problem, if it is another.
template <class Form>
const Form* FindForm(const SettingValue& value,
                     const std::string& expected,
                     const std::string& place,
                     Diagnostics& diagnostics) {
  const Form* const found = std::get_if<Form>(&value);
  if (found == nullptr) {
    diagnostics.AddError(place, "found " + Described(value) + ", expected " + expected);
  }
  return found;
}

// A field whose values are words.
template <auto kMember, auto kRead>
void ReadWord(const SettingValue& value,
              const std::string& place,
              ProblemSettings& settings,
              Diagnostics& diagnostics) {
  if (const auto* word = FindForm<std::string>(value, "a word", place, diagnostics)) {
    settings.*kMember = kRead(*word, place, diagnostics).value_or(settings.*kMember);
  }
}

void ReadTaskList(const SettingValue& value,
                  const std::string& place,
                  ProblemSettings& settings,
                  Diagnostics& diagnostics) {
  if (const auto* names = FindForm<Names>(value, "a list of tasks", place, diagnostics)) {
    settings.tasks = ReadTasks(*names, place, diagnostics).value_or(settings.tasks);
  }
}

void ReadWordOrWeights(const SettingValue& value,
                       const std::string& place,
                       ProblemSettings& settings,
                       Diagnostics& diagnostics) {
  const auto* const written = std::get_if<WrittenWeights>(&value);
  const auto* const word =
      written != nullptr
          ? nullptr
          : FindForm<std::string>(value, "a word or a map of weights", place, diagnostics);
  std::optional<Objective> objective;
  if (written != nullptr) {
    objective = ReadWeights(written->weights, written->place, diagnostics);
  } else if (word != nullptr) {
    objective = ReadObjective(*word, place, diagnostics);
  }
  settings.objective = objective.value_or(settings.objective);
}

SettingValue PrintObjective(const ProblemSettings& settings) {
  const Objective& objective = settings.objective;
  if (objective.kind != ObjectiveKind::kWeighted) {
    return std::string(NameOf(objective.kind));
  }
  WrittenWeights written;
  for (const auto& [name, weight] : WeightsOf(objective)) {
    written.weights.push_back({.name = name, .value = weight, .place = {}});
  }
  return written;
}

void ReadMaxGroups(const SettingValue& value,
                   const std::string& place,
                   ProblemSettings& settings,
                   Diagnostics& diagnostics) {
  if (const auto* count = FindForm<std::int64_t>(value, "a whole number", place, diagnostics)) {
    const auto units = ReadUnits(*count, place, diagnostics);
    settings.max_groups = units.has_value() ? units->max_groups : settings.max_groups;
  }
}

void ReadGroup(const SettingValue& value,
               const std::string& place,
               ProblemSettings& settings,
               Diagnostics& diagnostics) {
  const auto* const count = std::get_if<std::int64_t>(&value);
  const auto* const word =
      count != nullptr
          ? nullptr
          : FindForm<std::string>(value, "a word or a number of groups", place, diagnostics);
  std::optional<DecisionUnits> units;
  if (count != nullptr) {
    units = ReadUnits(*count, place, diagnostics);
  } else if (word != nullptr) {
    units = ReadUnits(*word, place, diagnostics);
  }
  if (units.has_value()) {
    settings.decide_per = units->decide_per;
    settings.module_depth = units->module_depth;
    settings.max_groups = units->max_groups;
  }
}

// The unit alone: how many groups there may be is another field.
void ReadUnit(const SettingValue& value,
              const std::string& place,
              ProblemSettings& settings,
              Diagnostics& diagnostics) {
  const auto* const word = FindForm<std::string>(value, "a word", place, diagnostics);
  const auto unit = word == nullptr ? std::nullopt : ReadDecisionUnit(*word, place, diagnostics);
  if (unit.has_value()) {
    settings.decide_per = unit->decide_per;
    settings.module_depth = unit->module_depth;
  }
}

SettingValue PrintUnit(const ProblemSettings& settings) {
  return UnitText({.decide_per = settings.decide_per, .module_depth = settings.module_depth});
}

void ReadContiguous(const SettingValue& value,
                    const std::string& place,
                    ProblemSettings& settings,
                    Diagnostics& diagnostics) {
  if (std::holds_alternative<std::monostate>(value)) {
    settings.contiguous = false;
  } else if (const auto* flag = FindForm<bool>(value, "true or false", place, diagnostics)) {
    settings.contiguous = *flag;
  }
}

// The default is nothing, so that results of before there was another say the same.
SettingValue PrintContiguous(const ProblemSettings& settings) {
  return settings.contiguous ? SettingValue(true) : SettingValue();
}

SettingValue PrintGroup(const ProblemSettings& settings) {
  const UnitsWord word = WordOf({.decide_per = settings.decide_per,
                                 .module_depth = settings.module_depth,
                                 .max_groups = settings.max_groups});
  return std::visit([](const auto& each) { return SettingValue(each); }, word);
}

void ReadMemoryRule(const SettingValue& value,
                    const std::string& place,
                    ProblemSettings& settings,
                    Diagnostics& diagnostics) {
  if (std::holds_alternative<std::monostate>(value)) {
    settings.memory = std::nullopt;
  } else if (const auto* word = FindForm<std::string>(value, "a word", place, diagnostics)) {
    settings.memory = ReadMemory(*word, place, diagnostics);
  }
}

void ReadDeviceList(const SettingValue& value,
                    const std::string& place,
                    ProblemSettings& settings,
                    Diagnostics& diagnostics) {
  if (std::holds_alternative<std::monostate>(value)) {
    settings.devices.clear();
  } else if (const auto* names = FindForm<Names>(value, "a list of names", place, diagnostics)) {
    settings.devices = ReadDevices(*names, place, diagnostics).value_or(settings.devices);
  }
}

void ReadModel(const SettingValue& value,
               const std::string& place,
               ProblemSettings& settings,
               Diagnostics& diagnostics) {
  if (std::holds_alternative<std::monostate>(value)) {
    settings.cost_model = sim::kDefaultCostModel;
  } else {
    ReadWord<&ProblemSettings::cost_model, ReadCostModel>(value, place, settings, diagnostics);
  }
}

// The default is nothing, so that results of before there were others say the same.
SettingValue PrintModel(const ProblemSettings& settings) {
  return settings.cost_model == sim::kDefaultCostModel ? SettingValue()
                                                       : SettingValue(settings.cost_model);
}

void ReadBaseline(const SettingValue& value,
                  const std::string& place,
                  ProblemSettings& settings,
                  Diagnostics& diagnostics) {
  if (const auto* name = FindForm<std::string>(value, "a name", place, diagnostics)) {
    settings.baseline = *name;
  }
}

constexpr auto kFields = std::to_array<ProblemField>({
    {.name = "tasks",
     .form = SettingForm::kNames,
     .meaning = "what is decided",
     .nothing = "",
     .words = TaskNames,
     .read = ReadTaskList,
     .print = [](const ProblemSettings& settings) -> SettingValue {
       return NamesOf(settings.tasks);
     }},
    {.name = "objective",
     .form = SettingForm::kObjective,
     .meaning = "makespan (seconds), peak_memory (bytes), or weighted:A:B for A x makespan / lower "
                "bound + B x peak memory / largest device, a number without unit",
     .nothing = "",
     .words = ObjectiveNames,
     .read = ReadWordOrWeights,
     .print = PrintObjective},
    {.name = "queue",
     .form = SettingForm::kWord,
     .meaning = "queues where scheduling is not decided: fifo, priority",
     .nothing = "",
     .words = sim::QueueNames,
     .read = ReadWord<&ProblemSettings::default_queue, ReadQueue>,
     .print = [](const ProblemSettings& settings) -> SettingValue {
       return std::string(sim::NameOf(settings.default_queue));
     }},
    {.name = "fusion",
     .form = SettingForm::kWord,
     .meaning = "fusion where it is not decided: framework (all that may), none (eager), module "
                "(inside of modules)",
     .nothing = "",
     .words = FusionNames,
     .read = ReadWord<&ProblemSettings::default_fusion, ReadFusion>,
     .print = [](const ProblemSettings& settings) -> SettingValue {
       return std::string(NameOf(settings.default_fusion));
     }},
    {.name = "decide_per",
     .form = SettingForm::kUnit,
     .meaning = "unit of decision: group, op, module, or module:DEPTH for modules at a depth",
     .nothing = "",
     .words = DecidePerNames,
     .read = ReadUnit,
     .print = PrintUnit},
    {.name = "max_groups",
     .form = SettingForm::kCount,
     .meaning = "most groups; 0: 512, but no limit for agents that search on several levels",
     .nothing = "",
     .words = nullptr,
     .low = 0,
     .high = kMostGroups,
     .read = ReadMaxGroups,
     .print = [](const ProblemSettings& settings) -> SettingValue {
       return std::int64_t{settings.max_groups};
     }},
    {.name = "group",  // decide_per and max_groups as one value
     .form = SettingForm::kUnits,
     .meaning = "unit of decision: group, op, module, module:DEPTH, or most groups",
     .nothing = "",
     .words = DecidePerNames,
     .low = 0,
     .high = kMostGroups,
     .read = ReadGroup,
     .print = PrintGroup},
    {.name = "contiguous",
     .form = SettingForm::kFlag,
     .meaning = "devices follow the network's order, each with one run of modules or groups",
     .nothing = "in any order",
     .words = nullptr,
     .read = ReadContiguous,
     .print = PrintContiguous},
    {.name = "memory",
     .form = SettingForm::kWord,
     .meaning = "on a device that is full, instead of what the machine says: fail, wait, ignore",
     .nothing = "as the machine says",
     .words = MemoryNames,
     .read = ReadMemoryRule,
     .print = [](const ProblemSettings& settings) -> SettingValue {
       return settings.memory.has_value() ? SettingValue(NameOf(*settings.memory)) : SettingValue();
     }},
    {.name = "devices",
     .form = SettingForm::kNames,
     .meaning = "devices that ops may be placed on",
     .nothing = "all of the machine",
     .words = nullptr,
     .read = ReadDeviceList,
     .print = [](const ProblemSettings& settings) -> SettingValue {
       return settings.devices.empty() ? SettingValue() : SettingValue(settings.devices);
     }},
    {.name = "cost_model",
     .form = SettingForm::kWord,
     .meaning = "what ops take: roofline, or peak_roofline, the data sheet's, which is too fast",
     .nothing = sim::kDefaultCostModel,
     .words = sim::CostModelNames,
     .read = ReadModel,
     .print = PrintModel},
    {.name = "baseline",
     .form = SettingForm::kText,
     .meaning = "agent that runs are compared with",
     .nothing = "",
     .words = nullptr,
     .read = ReadBaseline,
     .print = [](const ProblemSettings& settings) -> SettingValue { return settings.baseline; }},
});

}  // namespace

SettingValue ParseSetting(const ProblemField& field, const std::string& text) {
  if (field.form == SettingForm::kNames) {
    return SplitNames(text);
  }
  if (field.form == SettingForm::kFlag && (text == "true" || text == "false")) {
    return text == "true";
  }
  const bool may_be_count = field.form == SettingForm::kCount || field.form == SettingForm::kUnits;
  const OptionValue value = ParseOptionValue(text);
  const auto* const count = std::get_if<std::int64_t>(&value);
  return may_be_count && count != nullptr ? SettingValue(*count) : SettingValue(text);
}

std::span<const ProblemField> ProblemFields() {
  return kFields;
}

const ProblemField& FieldOf(std::string_view name) {
  const auto* const found = std::ranges::find(kFields, name, &ProblemField::name);
  OPYARD_CHECK(found != kFields.end(), "the table has the setting " + std::string(name));
  return *found;
}

}  // namespace opyard::env
