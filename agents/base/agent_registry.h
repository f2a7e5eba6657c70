// A list of agents, as a value.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/base/agent.h"
#include "agents/base/agent_entry.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_fault.h"
#include "env/objective.h"
#include "sim/base/options.h"

namespace opyard::agents {

// Something that agents need from where they run: is it there, and does it work?
struct AgentCheck {
  std::string name;  // "LibTorch"
  // Returns what was found, on one line. Throws InputError that says what is wrong and how to mend
  // it.
  std::function<std::string()> run;
};

// Agents that stand outside of the library: nothing is known of one but a name that says where it
// is, until somebody asks for it. Used by several threads at a time.
class AgentSource {
 public:
  virtual ~AgentSource() = default;
  // Those that are installed, sorted.
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  // True for these, and for every other name that is of the form that says where an agent is.
  [[nodiscard]] virtual bool Takes(const std::string& name) const = 0;
  // Loads the agent, once: slow the first time. Throws InputError that says why it cannot be
  // loaded. The entry lives as long as the source. REQUIRES: Takes(name).
  [[nodiscard]] virtual const AgentEntry& Get(const std::string& name) const = 0;
};

// Agents sorted by name, and sources of others. Registries add up: ClassicalAgents() + others.
class AgentRegistry {
 public:
  explicit AgentRegistry(std::vector<AgentEntry> entries,
                         std::vector<AgentCheck> checks = {},
                         std::vector<std::shared_ptr<const AgentSource>> sources = {});

  [[nodiscard]] const std::vector<AgentEntry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<AgentCheck>& checks() const { return checks_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const AgentSource>>& sources() const {
    return sources_;
  }
  // The names of the entries and of what is installed in the sources, sorted, each once. An entry
  // hides what a source calls the same.
  [[nodiscard]] std::vector<std::string> Names() const;
  // True if Get may find it: it has an entry, or a source takes it.
  [[nodiscard]] bool Knows(const std::string& name) const;
  // Throws InputError with the names that exist, if `name` does not, or what its source says.
  [[nodiscard]] const AgentEntry& Get(const std::string& name) const;
  // Makes the agent; throws InputError for an unknown agent or option, or an option out of range.
  [[nodiscard]] std::unique_ptr<Agent> Make(const std::string& name, Options options) const;
  // The same for its training. Throws InputError, too, if the agent has none.
  [[nodiscard]] std::unique_ptr<Trainer> MakeTrainer(const std::string& name,
                                                     Options options,
                                                     const TrainingPlan& plan) const;
  // All that is wrong with the options, or with the agent itself, which is not made unless its
  // entry has no check. REQUIRES: Knows(name).
  [[nodiscard]] std::vector<OptionFault> Check(const std::string& name,
                                               const Options& options) const;

 private:
  std::vector<AgentEntry> entries_;
  std::vector<AgentCheck> checks_;
  std::vector<std::shared_ptr<const AgentSource>> sources_;
};

// The descriptions of all agents of Names(), in this order: of one that its source cannot load, its
// name, and why as its summary.
[[nodiscard]] std::vector<AgentInfo> InfosOf(const AgentRegistry& registry);

// Why the agent has nothing to do where `open` is to be decided; nothing if it decides some of it.
[[nodiscard]] std::optional<std::string> FindTaskProblem(const AgentInfo& info,
                                                         const env::TaskSet& open);

// The agents, checks and sources of both. REQUIRES: no name is in both.
[[nodiscard]] AgentRegistry operator+(const AgentRegistry& a, const AgentRegistry& b);

}  // namespace opyard::agents
