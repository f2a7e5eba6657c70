// The places where users write settings, and the settings that each of them has.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "env/problem_fields.h"
#include "sim/base/check.h"
#include "sim/base/quote.h"

namespace opyard::env {
namespace {

constexpr auto kExperimentFields = std::to_array<DoorField>({
    {.field = "tasks", .name = "problem.tasks", .shown = ""},
    {.field = "objective", .name = "problem.objective", .shown = ""},
    {.field = "queue", .name = "problem.defaults.queue", .shown = ""},
    {.field = "fusion", .name = "problem.defaults.fusion", .shown = ""},
    {.field = "memory", .name = "problem.memory", .shown = ""},
    {.field = "cost_model", .name = "problem.cost_model", .shown = ""},
    {.field = "baseline", .name = "problem.baseline", .shown = ""},
    {.field = "decide_per", .name = "decide_per", .shown = ""},
    {.field = "max_groups", .name = "max_groups", .shown = ""},
    {.field = "contiguous", .name = "contiguous", .shown = ""},
    {.field = "devices", .name = "devices", .shown = ""},
});

constexpr auto kCommandLineFields = std::to_array<DoorField>({
    {.field = "tasks", .name = "--tasks", .shown = "TASK,…"},
    {.field = "objective", .name = "--objective", .shown = "OBJECTIVE"},
    {.field = "queue", .name = "--queue", .shown = "QUEUE"},
    {.field = "fusion", .name = "--fusion", .shown = "FUSION"},
    {.field = "decide_per", .name = "--decide-per", .shown = "UNIT"},
    {.field = "memory", .name = "--memory", .shown = "RULE"},
    {.field = "devices", .name = "--devices", .shown = "DEVICE,…"},
    {.field = "cost_model", .name = "--cost-model", .shown = "COST_MODEL"},
    {.field = "max_groups", .name = "--max-groups", .shown = ""},
    {.field = "contiguous", .name = "--contiguous", .shown = ""},
});

constexpr auto kCallerFields = std::to_array<DoorField>({
    {.field = "tasks", .name = "tasks", .shown = ""},
    {.field = "objective", .name = "objective", .shown = ""},
    {.field = "group", .name = "group", .shown = ""},
    {.field = "fusion", .name = "fusion", .shown = ""},
    {.field = "queue", .name = "queue", .shown = ""},
    {.field = "devices", .name = "devices", .shown = ""},
    {.field = "cost_model", .name = "cost_model", .shown = ""},
    {.field = "contiguous", .name = "contiguous", .shown = ""},
});

}  // namespace

std::span<const DoorField> FieldsAt(Door door) {
  switch (door) {
    case Door::kExperiment:
      return kExperimentFields;
    case Door::kCommandLine:
      return kCommandLineFields;
    case Door::kCaller:
      break;
  }
  return kCallerFields;
}

const DoorField& NameAt(Door door, std::string_view field) {
  const std::span<const DoorField> fields = FieldsAt(door);
  const auto found = std::ranges::find(fields, field, &DoorField::field);
  OPYARD_CHECK(found != fields.end(), "the door has the setting " + std::string(field));
  return *found;
}

ProblemSettings DefaultsAt(Door door) {
  ProblemSettings settings;
  settings.tasks.scheduling = door != Door::kCaller;
  return settings;
}

ProblemSettings ReadSettings(Door door, const WrittenSettings& written, Diagnostics& diagnostics) {
  ProblemSettings settings = DefaultsAt(door);
  std::vector<std::string> known;
  for (const DoorField& at : FieldsAt(door)) {
    known.emplace_back(at.name);
    if (const auto found = written.find(at.name); found != written.end()) {
      FieldOf(at.field).read(found->second, known.back(), settings, diagnostics);
    }
  }
  for (const auto& [name, value] : written) {
    if (std::ranges::find(known, name) == known.end()) {
      diagnostics.AddError(name,
                           "found an unknown setting, expected one of " + JoinNames(known) +
                               DidYouMean(name, known));
    }
  }
  return settings;
}

std::vector<PrintedSetting> PrintSettings(Door door, const ProblemSettings& settings) {
  std::vector<PrintedSetting> printed;
  for (const DoorField& at : FieldsAt(door)) {
    printed.push_back({.at = at, .value = FieldOf(at.field).print(settings)});
  }
  return printed;
}

}  // namespace opyard::env
