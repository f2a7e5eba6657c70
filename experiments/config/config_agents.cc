// The `agents` list of an experiment: names, parameters, grids.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "experiments/config/config_reader.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

constexpr std::size_t kMostCombinations = 1000;
constexpr std::size_t kMostAgents = 10'000;

}  // namespace

void ExperimentLayer::ReadAgents(const YamlNode& node) {
  const std::vector<YamlNode>* items = reader_.Items(node, "agents");
  if (items == nullptr) {
    return;
  }
  if (items->empty() || items->size() > kMostAgents) {
    reader_.Problem(node,
                    "agents: found " + std::to_string(items->size()) + " entries, expected 1 to " +
                        std::to_string(kMostAgents));
    return;
  }
  draft_.config.agents.clear();
  draft_.config.agent_places.clear();
  draft_.param_places.clear();
  for (const YamlNode& item : *items) {
    ReadAgent(item);
  }
}

void ExperimentLayer::ReadAgent(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kMap) {
    if (const std::optional<std::string> name = reader_.Text(node)) {
      AddAgent({.label = *name, .name = *name, .params = {}}, node, {});
    }
    return;
  }
  YamlMap map(reader_, node, "agent");
  AgentConfig agent;
  const YamlNode* name = map.Required("name");
  if (name != nullptr) {
    agent.name = reader_.Text(*name).value_or("");
  }
  const YamlNode* label = map.Optional("label");
  agent.label = label == nullptr ? agent.name : reader_.Name(*label).value_or("");
  ParamPlaces places;
  if (const YamlNode* params = map.Optional("params")) {
    ReadParams(*params, agent.params, places);
  }
  const YamlNode* grid = map.Optional("grid");
  if (const YamlNode* budget = map.Optional("budget")) {
    agent.budget = ReadOwnBudget(*budget);
  }
  map.Finish();
  if (agent.name.empty() || agent.label.empty()) {
    return;
  }
  if (grid != nullptr) {
    AddPlaces(*grid, places);
  }
  for (AgentConfig& combination : Combine(std::move(agent), grid)) {
    AddAgent(std::move(combination), node, places);
  }
}

env::Budget ExperimentLayer::ReadOwnBudget(const YamlNode& node) {
  const bool is_unlimited = node.kind == YamlNode::Kind::kMap &&
                            std::ranges::all_of(node.entries, [](const YamlNode::Entry& entry) {
                              return entry.value.kind == YamlNode::Kind::kNull;
                            });
  if (is_unlimited) {
    reader_.Problem(node, "budget: found no limit, expected evaluations, seconds or both");
  }
  env::Budget budget;
  ReadBudget(node, budget);
  return budget;
}

void ExperimentLayer::AddPlaces(const YamlNode& node, ParamPlaces& places) const {
  for (const YamlNode::Entry& entry : node.entries) {
    places[entry.key] = reader_.Place(entry.line, entry.column);
  }
}

void ExperimentLayer::ReadParams(const YamlNode& node, Options& params, ParamPlaces& places) {
  if (node.kind != YamlNode::Kind::kMap) {
    reader_.Problem(node, "params: found " + sim::Describe(node) + ", expected a map");
    return;
  }
  AddPlaces(node, places);
  for (const YamlNode::Entry& entry : node.entries) {
    if (const std::optional<OptionValue> value = ParamValue(entry.value)) {
      params.Set(entry.key, *value);
    }
  }
}

std::optional<OptionValue> ExperimentLayer::ParamValue(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar) {
    reader_.Problem(node,
                    "found " + sim::Describe(node) + ", expected a number, a word, true or false");
    return std::nullopt;
  }
  return node.is_quoted ? OptionValue(node.text) : ParseOptionValue(node.text);
}

std::vector<AgentConfig> ExperimentLayer::Combine(AgentConfig base, const YamlNode* grid) {
  std::vector<AgentConfig> combinations = {std::move(base)};
  if (grid == nullptr) {
    return combinations;
  }
  if (grid->kind != YamlNode::Kind::kMap || grid->entries.empty()) {
    reader_.Problem(*grid,
                    "grid: found " + sim::Describe(*grid) + ", expected a map of lists of values");
    return {};
  }
  for (const YamlNode::Entry& entry : grid->entries) {
    const std::vector<YamlNode>* values = reader_.Items(entry.value, entry.key);
    if (values == nullptr) {
      return {};
    }
    if (values->empty() || combinations.size() * values->size() > kMostCombinations) {
      reader_.Problem(entry.value,
                      "grid: found " + std::to_string(combinations.size() * values->size()) +
                          " combinations, expected 1 to " + std::to_string(kMostCombinations));
      return {};
    }
    std::vector<AgentConfig> next;
    for (const AgentConfig& before : combinations) {
      for (const YamlNode& item : *values) {
        const std::optional<OptionValue> value = ParamValue(item);
        if (!value.has_value()) {
          return {};
        }
        AgentConfig& agent = next.emplace_back(before);
        agent.params.Set(entry.key, *value);
        agent.label +=
            (&entry == &grid->entries.front() ? "[" : ",") + entry.key + "=" + ToText(*value);
      }
    }
    combinations = std::move(next);
  }
  for (AgentConfig& agent : combinations) {
    agent.label += "]";
  }
  return combinations;
}

void ExperimentLayer::AddAgent(AgentConfig agent, const YamlNode& node, ParamPlaces places) {
  draft_.config.agents.push_back(std::move(agent));
  draft_.config.agent_places.push_back(PlaceOf(node));
  draft_.param_places.push_back(std::move(places));
}

void CheckAgents(const ExperimentDraft& draft,
                 const agents::AgentRegistry& registry,
                 Diagnostics& diagnostics) {
  const ExperimentConfig& config = draft.config;
  const std::vector<std::string> names = registry.Names();
  std::set<std::pair<std::string, std::string>> reported;  // a grid repeats what is wrong with it
  for (std::size_t i = 0; i < config.agents.size(); ++i) {
    const AgentConfig& agent = config.agents[i];
    const auto report = [&](const std::string& place, const std::string& message) {
      if (reported.emplace(place, message).second) {
        diagnostics.AddError(place, message);
      }
    };
    if (!registry.Knows(agent.name)) {
      report(config.agent_places[i],
             "found the agent " + Quoted(agent.name) + DidYouMean(agent.name, names) +
                 ", expected one of " + JoinNames(names));
      continue;
    }
    for (const agents::OptionFault& fault : registry.Check(agent.name, agent.params)) {
      const auto param = draft.param_places[i].find(fault.name);
      report(param == draft.param_places[i].end() ? config.agent_places[i] : param->second,
             fault.message);
    }
  }
}

}  // namespace opyard::experiments
