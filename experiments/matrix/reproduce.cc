#include "experiments/matrix/reproduce.h"

#include <set>
#include <string_view>

#include "env/problem_fields.h"

namespace opyard::experiments {
namespace {

// The tasks, and the options of the problem that differ from the defaults.
std::string ProblemOptions(const env::ProblemSettings& problem) {
  const env::Door door = env::Door::kCommandLine;
  const env::ProblemSettings defaults = env::DefaultsAt(door);
  std::string text;
  for (const auto& [at, value] : env::PrintSettings(door, problem)) {
    const env::SettingValue fallback = env::FieldOf(at.field).print(defaults);
    if (value == env::SettingValue(true)) {
      text += " " + std::string(at.name);  // a flag
    } else if (at.field == "tasks" || value != fallback) {
      text += " " + std::string(at.name) + " " + ShellQuoted(env::SettingText(value));
    }
  }
  return text;
}

std::string PluginOption(const std::string& path) {
  return " --plugin " + ShellQuoted(path);
}

}  // namespace

std::string PluginOptions(const agents::AgentRegistry& registry) {
  std::set<std::string> paths;
  for (const agents::AgentEntry& entry : registry.entries()) {
    if (entry.info.plugin.has_value()) {
      paths.insert(entry.info.plugin->path);
    }
  }
  std::string text;
  for (const std::string& path : paths) {
    text += PluginOption(path);
  }
  return text;
}

std::filesystem::path FolderOf(const std::string& out, const ExperimentConfig& config) {
  return out.empty() ? std::filesystem::path("results") / config.name : std::filesystem::path(out);
}

std::string ResumeCommand(const std::string& subcommand,
                          const std::string& experiment,
                          const std::filesystem::path& folder) {
  return "opyard " + subcommand + " " + ShellQuoted(experiment) + " --out " +
         ShellQuoted(folder.string()) + " --resume";
}

std::string ShellQuoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string ReproduceCommand(const ExperimentConfig& config,
                             const CellKey& cell,
                             const AgentConfig& agent,
                             const std::optional<ReferenceRecord>& reference) {
  std::string text = "opyard place --graph " + ShellQuoted(cell.graph) + " --hardware " +
                     ShellQuoted(cell.hardware) + " --agent " + agent.name +
                     (agent.plugin.has_value() ? PluginOption(agent.plugin->path) : "");
  for (const auto& [name, value] : agent.params.values()) {
    text += " --param " + ShellQuoted(name + "=" + ToText(value));
  }
  const env::Budget& budget = BudgetOf(config, agent);
  if (budget.evaluations.has_value()) {
    text += " --evaluations " + std::to_string(*budget.evaluations);
  }
  if (budget.seconds.has_value()) {
    text += " --seconds " + ToText(*budget.seconds);
  }
  text += " --seed " + std::to_string(cell.seed) + ProblemOptions(config.problem);
  if (reference.has_value()) {  // whatever made it: another baseline, with a budget of its own
    text += " --reference " + ToText(reference->score);
  }
  return text + " --out best.plan.json";
}

}  // namespace opyard::experiments
