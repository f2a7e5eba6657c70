#include "agents/base/agent_registry.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "agents/base/former_names.h"
#include "env/problem_words.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

const std::string& EntryName(const AgentEntry& entry) {
  return entry.info.name;
}

// Each line of `error` as a fault of the agent itself.
std::vector<OptionFault> LinesOf(const Error& error) {
  std::vector<OptionFault> faults;
  std::istringstream lines(error.what());
  for (std::string line; std::getline(lines, line);) {
    faults.push_back({.name = "", .message = line});
  }
  return faults;
}

// Throws what making an agent throws that has no check.
std::vector<OptionFault> FaultsOf(const AgentEntry& entry, Options& given) {
  std::vector<OptionFault> faults;
  if (entry.check == nullptr) {
    static_cast<void>(entry.make(given));
  } else {
    faults = entry.check(given);
  }
  for (const Options::Unknown& unknown : given.FindUnknown()) {
    faults.push_back(
        {.name = unknown.name, .message = "agent " + entry.info.name + ": " + unknown.message});
  }
  return faults;
}

}  // namespace

AgentRegistry::AgentRegistry(std::vector<AgentEntry> entries,
                             std::vector<AgentCheck> checks,
                             std::vector<std::shared_ptr<const AgentSource>> sources)
    : entries_(std::move(entries)), checks_(std::move(checks)), sources_(std::move(sources)) {
  std::ranges::sort(entries_, {}, EntryName);
  const auto twin = std::ranges::adjacent_find(entries_, {}, EntryName);
  OPYARD_CHECK(twin == entries_.end(), "two agents are called " + twin->info.name);
}

const AgentEntry& AgentRegistry::Get(const std::string& name) const {
  const auto it = std::ranges::find(entries_, name, EntryName);
  if (it != entries_.end()) {
    return *it;
  }
  for (const auto& source : sources_) {
    if (source->Takes(name)) {
      return source->Get(name);
    }
  }
  const std::vector<std::string> names = Names();
  throw InputError("agent \"" + name + "\" does not exist" + DidYouMean(name, names) +
                   "; agents: " + JoinNames(names));
}

bool AgentRegistry::Knows(const std::string& name) const {
  return std::ranges::find(entries_, name, EntryName) != entries_.end() ||
         std::ranges::any_of(sources_, [&](const auto& source) { return source->Takes(name); });
}

std::vector<std::string> AgentRegistry::Names() const {
  std::vector<std::string> names;
  for (const AgentEntry& entry : entries_) {
    names.push_back(entry.info.name);
  }
  for (const auto& source : sources_) {
    names.insert(names.end(), source->names().begin(), source->names().end());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::unique_ptr<Agent> AgentRegistry::Make(const std::string& name, Options options) const {
  RefuseFormerNames(name, options);
  std::unique_ptr<Agent> agent = Get(name).make(options);
  options.EnsureAllUsed("agent " + name);
  return agent;
}

std::unique_ptr<Trainer> AgentRegistry::MakeTrainer(const std::string& name,
                                                    Options options,
                                                    const TrainingPlan& plan) const {
  const AgentEntry& entry = Get(name);
  if (entry.make_trainer == nullptr) {
    std::vector<std::string> names;
    for (const AgentEntry& each : entries_) {
      if (each.make_trainer != nullptr) {
        names.push_back(each.info.name);
      }
    }
    throw InputError("agent \"" + name + "\" cannot be trained over many problems; " +
                     (names.empty() ? "no agent here can" : "those that can: " + JoinNames(names)));
  }
  RefuseFormerNames(name, options);
  std::unique_ptr<Trainer> trainer = entry.make_trainer(options, plan);
  options.EnsureAllUsed("agent " + name);
  return trainer;
}

std::vector<OptionFault> AgentRegistry::Check(const std::string& name,
                                              const Options& options) const {
  std::vector<OptionFault> faults;
  std::map<std::string, OptionValue> values = options.values();
  for (const OptionFault& former : FindFormerNames(name, options)) {
    faults.push_back({.name = former.name, .message = "agent " + name + ": " + former.message});
    values.erase(former.name);
  }
  Options given(std::move(values));
  std::vector<OptionFault> more;
  try {
    more = FaultsOf(Get(name), given);
  } catch (const Error& error) {
    more = LinesOf(error);
  }
  faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

std::vector<AgentInfo> InfosOf(const AgentRegistry& registry) {
  std::vector<AgentInfo> infos;
  for (const std::string& name : registry.Names()) {
    try {
      infos.push_back(registry.Get(name).info);
    } catch (const InputError& error) {
      infos.push_back({.name = name,
                       .kind = AgentKind::kPython,
                       .summary = std::string("Not available: ") + error.what()});
    }
  }
  return infos;
}

std::optional<std::string> FindTaskProblem(const AgentInfo& info, const env::TaskSet& open) {
  const std::vector<std::string> names = env::NamesOf(open);
  if (std::ranges::find_first_of(info.tasks, names) != info.tasks.end()) {
    return std::nullopt;
  }
  return "agent " + info.name + " decides " + JoinNames(info.tasks) + "; the open tasks are " +
         JoinNames(names);
}

AgentRegistry operator+(const AgentRegistry& a, const AgentRegistry& b) {
  std::vector<AgentEntry> entries = a.entries();
  entries.insert(entries.end(), b.entries().begin(), b.entries().end());
  std::vector<AgentCheck> checks = a.checks();
  checks.insert(checks.end(), b.checks().begin(), b.checks().end());
  std::vector<std::shared_ptr<const AgentSource>> sources = a.sources();
  sources.insert(sources.end(), b.sources().begin(), b.sources().end());
  return AgentRegistry(std::move(entries), std::move(checks), std::move(sources));
}

}  // namespace opyard::agents
