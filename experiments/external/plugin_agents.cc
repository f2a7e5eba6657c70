#include "experiments/external/plugin_agents.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "env/problem_words.h"
#include "experiments/external/guarded_agent.h"
#include "experiments/external/plugin_library.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/text/utf8.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

using agents::AgentEntry;
using agents::AgentInfo;
using agents::OptionInfo;

constexpr std::size_t kLongestPluginError = 500;

// "hill_climb2": as agents and their options are called, so that command lines and files can.
bool IsName(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  return !name.empty() && kLetters.find(name.front()) != std::string_view::npos &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

// Everything that an agent says of itself in words.
std::vector<std::string> TextsOf(const AgentInfo& info) {
  std::vector<std::string> texts = {info.start, info.paper, info.summary};
  texts.insert(texts.end(), info.deviations.begin(), info.deviations.end());
  for (const OptionInfo& option : info.options) {
    texts.insert(texts.end(), {option.meaning, option.paper});
    for (const OptionValue& value : option.allowed) {
      texts.push_back(ToText(value));
    }
  }
  return texts;
}

// The fault that makes an agent unfit to be listed; nothing if it is fit.
std::optional<std::string> FindFault(const AgentEntry& entry) {
  const AgentInfo& info = entry.info;
  if (entry.make == nullptr) {
    return "it has no function that makes it";
  }
  if (info.kind > agents::AgentKind::kLearned) {
    return "found a kind that is none of classical, search and learned";
  }
  Diagnostics diagnostics;
  static_cast<void>(env::ReadTasks(info.tasks, "tasks", diagnostics));
  if (!diagnostics.empty()) {
    return diagnostics.Text();
  }
  const auto unnamed = std::ranges::find_if_not(info.options, IsName, &OptionInfo::name);
  if (unnamed != info.options.end()) {
    return "found an option called " + Quoted(unnamed->name) +
           ", expected small letters, digits, - and _, a letter first";
  }
  for (const std::string& text : TextsOf(info)) {
    if (const auto flaw = sim::FindTextFlaw(text)) {
      return "found " + flaw->what + " in " + Quoted(text) + ", expected UTF-8";
    }
  }
  return std::nullopt;
}

std::vector<AgentEntry> EntriesOf(const agents::Plugin& plugin) {
  std::vector<AgentEntry> entries;
  try {
    entries = plugin.agents();
  } catch (const std::exception& error) {
    throw InputError("it cannot say which agents it has: " +
                     sim::ShownText(error.what(), kLongestPluginError));
  } catch (...) {
    throw InputError("it cannot say which agents it has: it threw what is no std::exception");
  }
  if (entries.empty()) {
    throw InputError("it has no agents, expected one at least");
  }
  return entries;
}

// Gathers the agents of several plugins, each under a name of its own.
class PluginReader {
 public:
  explicit PluginReader(const agents::AgentRegistry& registry) {
    for (const std::string& name : registry.Names()) {
      owners_.emplace_back(name, "opyard or another package has it");
    }
  }

  void Add(const std::string& file) {
    std::error_code error;
    const fs::path same = fs::weakly_canonical(file, error);
    if (!loaded_.insert(error ? fs::path(file) : same).second) {
      return;
    }
    const std::string place = "plugin " + sim::ShownText(file, kLongestPluginError);
    try {
      if (const auto flaw = sim::FindTextFlaw(file)) {
        throw InputError("found " + flaw->what + " in the path, expected UTF-8");
      }
      const PluginLibrary library = LoadPlugin(file);
      for (AgentEntry& entry : EntriesOf(*library.plugin)) {
        AddAgent(std::move(entry), {.path = file, .sha256 = library.sha256}, place);
      }
    } catch (const InputError& refusal) {
      diagnostics_.AddError(place, refusal.what());
    }
  }

  // Throws InputError with all that is wrong.
  std::vector<AgentEntry> Take() {
    diagnostics_.ThrowIfAny();
    return std::move(entries_);
  }

 private:
  void AddAgent(AgentEntry entry, agents::PluginFile file, const std::string& place) {
    const std::string name = entry.info.name;
    if (!IsName(name)) {
      diagnostics_.AddError(place,
                            "found an agent called " + Quoted(name) +
                                ", expected small letters, digits, - and _, a letter first");
      return;
    }
    const auto owner = std::ranges::find(owners_, name, &Owner::first);
    if (owner != owners_.end()) {
      diagnostics_.AddError(
          place,
          "found an agent called \"" + name + "\", expected a name of its own: " + owner->second);
      return;
    }
    if (const auto fault = FindFault(entry)) {
      diagnostics_.AddError(place + ": agent " + name, *fault);
      return;
    }
    owners_.emplace_back(name, place + " has it");
    entry.info.plugin = std::move(file);
    entries_.push_back(Guarded(std::move(entry)));
  }

  // A name that is taken, and by whom.
  using Owner = std::pair<std::string, std::string>;

  std::vector<Owner> owners_;
  std::set<fs::path> loaded_;
  std::vector<AgentEntry> entries_;
  Diagnostics diagnostics_;
};

}  // namespace

std::vector<std::string> PluginsOfEnvironment() {
  const char* const value = std::getenv(kPluginsVariable);
  std::vector<std::string> files;
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::string_view file = rest.substr(0, rest.find(':'));
    if (!file.empty()) {
      files.emplace_back(file);
    }
    rest.remove_prefix(std::min(file.size() + 1, rest.size()));
  }
  return files;
}

agents::AgentRegistry WithPlugins(const agents::AgentRegistry& registry,
                                  const std::vector<std::string>& files) {
  PluginReader reader(registry);
  for (const std::string& file : files) {
    reader.Add(file);
  }
  return registry + agents::AgentRegistry(reader.Take());
}

}  // namespace opyard::experiments
