#include "experiments/cli/subcommands/agents.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "agents/base/agent_info.h"
#include "agents/base/search_start.h"
#include "agents/registry.h"
#include "experiments/cli/json/agents_answer.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// What may be given: "1 to 100", "auto, off, on" or "any text".
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

}  // namespace

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

}  // namespace opyard::experiments
