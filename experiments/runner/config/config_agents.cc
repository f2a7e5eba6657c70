// The `agents` list of an experiment: names, parameters, grids.
#include <algorithm>

#include "experiments/runner/config/config_reader.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

using sim::YamlMap;
using sim::YamlNode;

constexpr std::size_t kMostCombinations = 1000;
constexpr std::size_t kMostAgents = 10'000;

std::vector<std::string> NamesOf(const agents::AgentRegistry& registry) {
  std::vector<std::string> names;
  for (const agents::AgentEntry& entry : registry.entries()) {
    names.push_back(entry.info.name);
  }
  return names;
}

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
  draft_.agent_places.clear();
  for (const YamlNode& item : *items) {
    ReadAgent(item);
  }
}

void ExperimentLayer::ReadAgent(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kMap) {
    if (const std::optional<std::string> name = reader_.Text(node)) {
      AddAgent({.label = *name, .name = *name, .params = {}}, node);
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
  if (const YamlNode* params = map.Optional("params")) {
    ReadParams(*params, agent.params);
  }
  const YamlNode* grid = map.Optional("grid");
  map.Finish();
  if (agent.name.empty() || agent.label.empty()) {
    return;
  }
  for (AgentConfig& combination : Combine(std::move(agent), grid)) {
    AddAgent(std::move(combination), node);
  }
}

void ExperimentLayer::ReadParams(const YamlNode& node, Options& params) {
  if (node.kind != YamlNode::Kind::kMap) {
    reader_.Problem(node, "params: found " + sim::Describe(node) + ", expected a map");
    return;
  }
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

void ExperimentLayer::AddAgent(AgentConfig agent, const YamlNode& node) {
  draft_.config.agents.push_back(std::move(agent));
  draft_.agent_places.push_back(PlaceOf(node));
}

void CheckAgents(const ExperimentDraft& draft,
                 const agents::AgentRegistry& registry,
                 ProblemList& problems) {
  const std::vector<std::string> names = NamesOf(registry);
  for (std::size_t i = 0; i < draft.config.agents.size(); ++i) {
    const AgentConfig& agent = draft.config.agents[i];
    if (std::ranges::find(names, agent.name) == names.end()) {
      problems.Add(draft.agent_places[i],
                   "found the agent " + Quoted(agent.name) + DidYouMean(agent.name, names) +
                       ", expected one of " + JoinNames(names));
      continue;
    }
    // The agent itself knows its parameters; what it says is placed in the file.
    try {
      static_cast<void>(registry.Make(agent.name, agent.params));
    } catch (const Error& error) {
      problems.Add(draft.agent_places[i], error.what());
    }
  }
}

}  // namespace opyard::experiments
