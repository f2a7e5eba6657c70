#include "experiments/config/settings_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "env/problem_fields.h"

namespace opyard::experiments {
namespace {

constexpr const char* kWeighted = "weighted";

// "problem.defaults.queue" → "/problem/defaults/queue".
std::string PointerOf(std::string_view key) {
  std::string pointer = "/" + std::string(key);
  std::ranges::replace(pointer, '.', '/');
  return pointer;
}

struct ToJson {
  using Json = nlohmann::ordered_json;

  Json operator()(std::monostate /*nothing*/) const { return {}; }
  Json operator()(bool flag) const { return flag; }
  Json operator()(std::int64_t count) const { return count; }
  Json operator()(const std::string& word) const { return word; }
  Json operator()(const std::vector<std::string>& names) const { return names; }
  Json operator()(const env::WrittenWeights& written) const {
    Json weights = Json::object();
    for (const env::WrittenWeight& weight : written.weights) {
      std::visit([&](const auto& value) { weights[weight.name] = value; }, weight.value);
    }
    return {{kWeighted, std::move(weights)}};
  }
};

env::SettingValue NamesIn(const nlohmann::json& list) {
  std::vector<std::string> names;
  for (const nlohmann::json& name : list) {
    names.push_back(name.is_string() ? name.get<std::string>() : "");  // which no reader takes
  }
  return names;
}

std::optional<env::SettingValue> WeightsIn(const nlohmann::json& map) {
  if (map.size() != 1 || !map.contains(kWeighted) || !map.at(kWeighted).is_object()) {
    return std::nullopt;
  }
  env::WrittenWeights written{.weights = {}, .place = kWeighted};
  for (const auto& [name, weight] : map.at(kWeighted).items()) {
    if (!weight.is_number()) {
      return std::nullopt;
    }
    written.weights.push_back({.name = name, .value = weight.get<double>(), .place = kWeighted});
  }
  return written;
}

std::optional<env::SettingValue> ValueIn(const nlohmann::json& json) {
  if (json.is_string()) {
    return json.get<std::string>();
  }
  if (json.is_boolean()) {
    return json.get<bool>();
  }
  if (json.is_number_integer()) {
    return json.get<std::int64_t>();
  }
  if (json.is_array()) {
    return NamesIn(json);
  }
  return json.is_object() ? WeightsIn(json) : std::nullopt;
}

}  // namespace

nlohmann::ordered_json SettingsObject(const env::ProblemSettings& settings, Rewards rewards) {
  nlohmann::ordered_json json;
  for (const env::PrintedSetting& printed : env::PrintSettings(env::Door::kExperiment, settings)) {
    const bool matters = printed.at.field != "baseline" || rewards == Rewards::kGiven;
    if (matters && !std::holds_alternative<std::monostate>(printed.value)) {
      json[nlohmann::ordered_json::json_pointer(PointerOf(printed.at.name))] =
          std::visit(ToJson(), printed.value);
    }
  }
  return json;
}

std::optional<env::SettingValue> FindSetting(const nlohmann::json& settings,
                                             std::string_view field) {
  const env::DoorField& at = env::NameAt(env::Door::kExperiment, field);
  const nlohmann::json::json_pointer pointer(PointerOf(at.name));
  return settings.contains(pointer) ? ValueIn(settings.at(pointer)) : std::nullopt;
}

}  // namespace opyard::experiments
