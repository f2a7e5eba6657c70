#include "experiments/cli/agents.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agents/base/agent_info.h"
#include "agents/base/search_start.h"
#include "agents/registry.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"
#include "sim/base/options.h"

namespace opyard::experiments {
namespace {

struct AgentsListOptions {
  bool json = false;
};
[[nodiscard]] int PrintAgentsList(const AgentsListOptions& options, const Console& console);

struct AgentsShowOptions {
  std::string name;
  bool json = false;
};
// Throws InputError, with the names that exist, for an unknown agent.
[[nodiscard]] int PrintAgent(const AgentsShowOptions& options, const Console& console);

// The answer with --json.
[[nodiscard]] std::string AgentsListJson(const std::vector<agents::AgentInfo>& agents);

// The agent with its options and its deviations from the paper.
[[nodiscard]] std::string AgentJson(const agents::AgentInfo& agent);

}  // namespace

void AddAgentsArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app, {.name = "agents", .summary = "agents", .examples = "  opyard agents list"});
  CLI::App& list = AddSubcommand(
      group, {.name = "list", .summary = "all agents", .examples = "  opyard agents list --json"});
  const auto list_options = std::make_shared<AgentsListOptions>();
  AddJson(list, list_options->json);
  Choose(list, command, list_options, &PrintAgentsList);
  CLI::App& show = AddSubcommand(
      group, {.name = "show", .summary = "one agent", .examples = "  opyard agents show heft"});
  const auto show_options = std::make_shared<AgentsShowOptions>();
  show.add_option("name", show_options->name, "agent")->required()->type_name("AGENT");
  AddJson(show, show_options->json);
  Choose(show, command, show_options, &PrintAgent);
}

namespace {

// The legal values: "1 to 100", "auto, off, on" or "any text".
std::string LegalText(const agents::OptionInfo& option) {
  if (std::holds_alternative<std::int64_t>(option.default_value) && !option.range.has_value()) {
    return "any whole number";
  }
  if (std::holds_alternative<double>(option.default_value) && !option.range.has_value()) {
    return "any number";
  }
  if (option.range.has_value()) {
    return ToText(option.range->low) + " to " + ToText(option.range->high);
  }
  std::vector<std::string> words;
  for (const OptionValue& value : option.allowed) {
    words.push_back(ToText(value));
  }
  return words.empty() ? "any text" : JoinNames(words);
}

std::string OptionsText(const std::vector<agents::OptionInfo>& options) {
  if (options.empty()) {
    return "parameters: none\n";
  }
  TextTable table({{.title = "parameter"},
                   {.title = "default"},
                   {.title = "legal"},
                   {.title = "paper"},
                   {.title = "meaning"}});
  for (const agents::OptionInfo& option : options) {
    table.AddRow({option.name,
                  ToText(option.default_value),
                  LegalText(option),
                  option.paper,
                  option.meaning});
  }
  return '\n' + table.Text();
}

int PrintAgentsList(const AgentsListOptions& options, const Console& console) {
  const agents::AgentRegistry& registry = console.agents;
  const std::vector<agents::AgentInfo> infos = InfosOf(registry);
  TextTable table({{.title = "agent"},
                   {.title = "kind"},
                   {.title = "decides"},
                   {.title = "begins at"},
                   {.title = "paper"}});
  for (const agents::AgentInfo& info : infos) {
    table.AddRow({info.name, NameOf(info.kind), JoinNames(info.tasks), info.start, info.paper});
    if (info.tasks.empty()) {  // its source could not load it
      console.err << info.summary << '\n';
    }
  }
  console.out << (options.json ? AgentsListJson(infos) + "\n" : table.Text());
  return kSuccess;
}

int PrintAgent(const AgentsShowOptions& options, const Console& console) {
  const agents::AgentRegistry& registry = console.agents;
  const agents::AgentInfo& info = registry.Get(options.name).info;
  if (options.json) {
    console.out << AgentJson(info) << '\n';
    return kSuccess;
  }
  console.out << info.name << " (" << NameOf(info.kind) << "): " << info.summary << '\n'
              << "decides: " << JoinNames(info.tasks) << '\n';
  if (!info.start.empty()) {
    console.out << "begins at: " << agents::DescribeStart(info.start) << " (" << info.start
                << ")\n";
  }
  if (info.is_deterministic) {
    console.out << "samples nothing: the same with every seed, so that experiments run it once\n";
  }
  if (info.plugin.has_value()) {
    console.out << "plugin: " << OneLine(info.plugin->path) << ", SHA-256 " << info.plugin->sha256
                << '\n';
  }
  if (!info.paper.empty()) {
    console.out << "paper: " << info.paper << '\n';
  }
  for (const std::string& deviation : info.deviations) {
    console.out << "deviation: " << deviation << '\n';
  }
  console.out << OptionsText(info.options);
  return kSuccess;
}

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

}  // namespace
}  // namespace opyard::experiments
