#include "experiments/cli/json/agents_answer.h"

#include <variant>

#include <nlohmann/json.hpp>

#include "sim/base/options.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json InfoJson(const agents::AgentInfo& info) {
  Json json = {{"name", info.name},
               {"kind", NameOf(info.kind)},
               {"tasks", info.tasks},
               {"start", info.start},
               {"paper", info.paper}};
  if (info.plugin.has_value()) {
    json["plugin"] = {{"file", info.plugin->path}, {"sha256", info.plugin->sha256}};
  }
  return json;
}

Json ValueJson(const OptionValue& value) {
  return std::visit([](const auto& found) { return Json(found); }, value);
}

Json OptionJson(const agents::OptionInfo& option) {
  Json json = {{"name", option.name}, {"default", ValueJson(option.default_value)}};
  if (option.range.has_value()) {
    json["range"] = {ValueJson(option.range->low), ValueJson(option.range->high)};
  }
  for (const OptionValue& value : option.allowed) {
    json["allowed"].push_back(ValueJson(value));
  }
  json["meaning"] = option.meaning;
  json["paper"] = option.paper;
  return json;
}

}  // namespace

std::string AgentsListJson(const std::vector<agents::AgentInfo>& agents) {
  Json json = Json::array();
  for (const agents::AgentInfo& agent : agents) {
    json.push_back(InfoJson(agent));
  }
  return json.dump();
}

std::string AgentJson(const agents::AgentInfo& agent) {
  Json json = InfoJson(agent);
  json["deterministic"] = agent.is_deterministic;
  json["summary"] = agent.summary;
  json["deviations"] = agent.deviations;
  json["options"] = Json::array();
  for (const agents::OptionInfo& option : agent.options) {
    json["options"].push_back(OptionJson(option));
  }
  return json.dump();
}

}  // namespace opyard::experiments
