#include "experiments/runner/verbs/agents.h"

#include <nlohmann/json.hpp>

#include "agents/agent_kind_name.h"
#include "agents/registry.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json InfoJson(const agents::AgentInfo& info) {
  return {{"name", info.name},
          {"kind", NameOf(info.kind)},
          {"tasks", info.tasks},
          {"paper", info.paper}};
}

}  // namespace

int PrintAgentsList(const AgentsListOptions& options, const Console& console) {
  const agents::AgentRegistry& registry = console.agents;
  Json json = Json::array();
  TextTable table(
      {{.title = "agent"}, {.title = "kind"}, {.title = "decides"}, {.title = "paper"}});
  for (const agents::AgentEntry& entry : registry.entries()) {
    json.push_back(InfoJson(entry.info));
    table.AddRow(
        {entry.info.name, NameOf(entry.info.kind), JoinNames(entry.info.tasks), entry.info.paper});
  }
  console.out << (options.json ? json.dump() + "\n" : table.Text());
  return kSuccess;
}

int PrintAgent(const AgentsShowOptions& options, const Console& console) {
  const agents::AgentRegistry& registry = console.agents;
  const agents::AgentInfo& info = registry.Get(options.name).info;
  if (options.json) {
    Json json = InfoJson(info);
    json["summary"] = info.summary;
    console.out << json.dump() << '\n';
    return kSuccess;
  }
  console.out << info.name << " (" << NameOf(info.kind) << "): " << info.summary << '\n'
              << "decides: " << JoinNames(info.tasks) << '\n';
  if (!info.paper.empty()) {
    console.out << "paper: " << info.paper << '\n';
  }
  return kSuccess;
}

}  // namespace opyard::experiments
