// Conversions between the keyword arguments of Python callers and the settings of a problem.
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "env/problem_fields.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

constexpr env::Door kDoor = env::Door::kCaller;

// The alternatives of `value` are some of SettingArgument's.
template <class Variant>
SettingArgument Widened(const Variant& value) {
  return std::visit([](const auto& each) { return SettingArgument(each); }, value);
}

// Nothing, and an error at `place`, for another map than {"weighted": …}.
std::optional<env::WrittenWeights> FindWeights(const WeightedObjective& map,
                                               const std::string& place,
                                               Diagnostics& diagnostics) {
  const std::string weighted = NameOf(env::ObjectiveKind::kWeighted);
  if (map.size() != 1 || map.begin()->first != weighted) {
    std::vector<std::string> keys;
    for (const auto& [key, weights] : map) {
      keys.push_back(Quoted(key));
    }
    diagnostics.AddError(
        place, "found the keys {" + JoinNames(keys) + "}, expected " + Quoted(weighted) + " alone");
    return std::nullopt;
  }
  env::WrittenWeights written{.weights = {}, .place = place + "/" + weighted};
  for (const auto& [name, weight] : map.begin()->second) {
    written.weights.push_back(
        {.name = name, .value = weight, .place = written.place + "/" + PointerToken(name)});
  }
  return written;
}

// Nothing, and an error, for what is no value of any setting.
std::optional<env::SettingValue> FindValue(const SettingArgument& argument,
                                           const std::string& place,
                                           Diagnostics& diagnostics) {
  if (const auto* map = std::get_if<WeightedObjective>(&argument)) {
    return FindWeights(*map, place, diagnostics);
  }
  return std::visit(
      [](const auto& value) -> std::optional<env::SettingValue> {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, WeightedObjective>) {
          return std::nullopt;
        } else {
          return env::SettingValue(value);
        }
      },
      argument);
}

SettingArgument ArgumentOf(const env::SettingValue& value) {
  if (const auto* written = std::get_if<env::WrittenWeights>(&value)) {
    WeightedObjective map;
    std::map<std::string, double>& weights = map[NameOf(env::ObjectiveKind::kWeighted)];
    for (const env::WrittenWeight& weight : written->weights) {
      weights[weight.name] = std::get<double>(weight.value);  // as env prints them
    }
    return map;
  }
  return std::visit(
      [](const auto& each) -> SettingArgument {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, env::WrittenWeights>) {
          return {};
        } else {
          return SettingArgument(each);
        }
      },
      value);
}

}  // namespace

SettingArguments ArgumentsOf(const ProblemWords& words) {
  return {
      {"tasks", words.tasks},
      {"objective", Widened(words.objective)},
      {"group", Widened(words.group)},
      {"fusion", words.fusion},
      {"queue", words.queue},
      {"devices", words.devices.has_value() ? SettingArgument(*words.devices) : SettingArgument()},
      {"cost_model", words.cost_model},
      {"contiguous", words.contiguous}};
}

env::ProblemSettings ToSettings(const SettingArguments& arguments) {
  Diagnostics diagnostics;
  env::WrittenSettings written;
  for (const auto& [name, argument] : arguments) {
    if (std::optional<env::SettingValue> value = FindValue(argument, name, diagnostics)) {
      written.emplace(name, std::move(*value));
    }
  }
  env::ProblemSettings settings = env::ReadSettings(kDoor, written, diagnostics);
  diagnostics.ThrowIfAny();
  return settings;
}

SettingArguments ArgumentsOf(const env::ProblemSettings& settings) {
  SettingArguments arguments;
  for (const auto& [at, value] : env::PrintSettings(kDoor, settings)) {
    arguments.emplace(at.name, ArgumentOf(value));
  }
  return arguments;
}

py::tuple SettingsTuple(const env::ProblemSettings& settings) {
  const std::vector<env::PrintedSetting> printed = env::PrintSettings(kDoor, settings);
  py::tuple tuple(printed.size());
  for (std::size_t i = 0; i < printed.size(); ++i) {
    tuple[i] = ArgumentOf(printed[i].value);
  }
  return tuple;
}

SettingArguments ArgumentsIn(const py::tuple& settings) {
  const std::span<const env::DoorField> fields = env::FieldsAt(kDoor);
  if (settings.size() != fields.size()) {
    throw InputError("pickled settings: they were pickled by another version of opyard");
  }
  SettingArguments arguments;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    arguments.emplace(fields[i].name, py::cast<SettingArgument>(settings[i]));
  }
  return arguments;
}

}  // namespace opyard::bindings
