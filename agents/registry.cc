#include "agents/registry.h"

#include <algorithm>
#include <utility>

#include "agents/classical/critical_path/critical_path.h"
#include "agents/classical/heft/heft.h"
#include "agents/classical/metis/metis_agent.h"
#include "agents/classical/min_cut/min_cut.h"
#include "agents/classical/random/random.h"
#include "agents/classical/single_device/single_device.h"
#include "agents/search/brkga/brkga.h"
#include "agents/search/simulated_annealing/simulated_annealing.h"
#include "env/problem_words.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

const std::string& NameOf(const AgentEntry& entry) {
  return entry.info.name;
}

}  // namespace

AgentRegistry::AgentRegistry(std::vector<AgentEntry> entries, std::vector<AgentCheck> checks)
    : entries_(std::move(entries)), checks_(std::move(checks)) {
  std::ranges::sort(entries_, {}, NameOf);
  OPYARD_CHECK(std::ranges::adjacent_find(entries_, {}, NameOf) == entries_.end(),
               "names of agents are unique");
}

const AgentEntry& AgentRegistry::Get(const std::string& name) const {
  const auto it = std::ranges::find(entries_, name, NameOf);
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

AgentRegistry ClassicalAgents() {
  return AgentRegistry({BrkgaEntry(),
                        CriticalPathEntry(),
                        HeftEntry(),
                        MetisEntry(),
                        MinCutEntry(),
                        RandomEntry(),
                        SimulatedAnnealingEntry(),
                        SingleDeviceEntry()});
}

}  // namespace opyard::agents
