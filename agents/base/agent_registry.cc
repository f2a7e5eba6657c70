#include "agents/base/agent_registry.h"

#include <algorithm>
#include <utility>

#include "env/problem_words.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

const std::string& EntryName(const AgentEntry& entry) {
  return entry.info.name;
}

}  // namespace

AgentRegistry::AgentRegistry(std::vector<AgentEntry> entries, std::vector<AgentCheck> checks)
    : entries_(std::move(entries)), checks_(std::move(checks)) {
  std::ranges::sort(entries_, {}, EntryName);
  const auto twin = std::ranges::adjacent_find(entries_, {}, EntryName);
  OPYARD_CHECK(twin == entries_.end(), "two agents are called " + twin->info.name);
}

const AgentEntry& AgentRegistry::Get(const std::string& name) const {
  const auto it = std::ranges::find(entries_, name, EntryName);
  if (it == entries_.end()) {
    std::vector<std::string> names;
    for (const AgentEntry& entry : entries_) {
      names.push_back(entry.info.name);
    }
    throw InputError("agent \"" + name + "\" does not exist" + DidYouMean(name, names) +
                     "; agents: " + JoinNames(names));
  }
  return *it;
}

std::unique_ptr<Agent> AgentRegistry::Make(const std::string& name, Options options) const {
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
  std::unique_ptr<Trainer> trainer = entry.make_trainer(options, plan);
  options.EnsureAllUsed("agent " + name);
  return trainer;
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
  return AgentRegistry(std::move(entries), std::move(checks));
}

}  // namespace opyard::agents
