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
#include "env/objective.h"
#include "sim/base/options.h"

namespace opyard::agents {

// Something that agents need from where they run: is it there, and does it work?
struct AgentCheck {
  std::string name;  // "LibTorch"
  // What was found, on one line. Throws InputError that says what is wrong and how to mend it.
  std::function<std::string()> look;
};

// Agents sorted by name. Registries add up: ClassicalAgents() + others.
class AgentRegistry {
 public:
  explicit AgentRegistry(std::vector<AgentEntry> entries, std::vector<AgentCheck> checks = {});

  [[nodiscard]] const std::vector<AgentEntry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<AgentCheck>& checks() const { return checks_; }
  // Throws InputError with the names that exist, if `name` does not.
  [[nodiscard]] const AgentEntry& Get(const std::string& name) const;
  // Makes the agent; throws InputError for an unknown agent or option, or an option out of range.
  [[nodiscard]] std::unique_ptr<Agent> Make(const std::string& name, Options options) const;
  // The same for its training. Throws InputError, too, if the agent has none.
  [[nodiscard]] std::unique_ptr<Trainer> MakeTrainer(const std::string& name,
                                                     Options options,
                                                     const TrainingPlan& plan) const;

 private:
  std::vector<AgentEntry> entries_;
  std::vector<AgentCheck> checks_;
};

// Why the agent has nothing to do where `open` is to be decided; nothing if it decides some of it.
[[nodiscard]] std::optional<std::string> FindTaskProblem(const AgentInfo& info,
                                                         const env::TaskSet& open);

// The agents and the checks of both. REQUIRES: no name is in both.
[[nodiscard]] AgentRegistry operator+(const AgentRegistry& a, const AgentRegistry& b);

}  // namespace opyard::agents
