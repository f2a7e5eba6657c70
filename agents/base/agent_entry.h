// One registered agent: what it is and how it is made.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_fault.h"
#include "agents/base/trainer.h"
#include "sim/base/options.h"

namespace opyard::agents {

// MakeEntry (make_entry.h) makes one; by hand only in tests.
struct AgentEntry {
  AgentInfo info;
  std::function<std::unique_ptr<Agent>(Options& options)> make;
  // The faults of the options, found without making the agent; it reads the options that it knows.
  // Empty where only making the agent finds them.
  std::function<std::vector<OptionFault>(Options& options)> check = {};
  // The trainer of an agent that can be trained over many problems; empty for the others.
  std::function<std::unique_ptr<Trainer>(Options& options, const TrainingPlan& plan)> make_trainer =
      {};
  // Where a search with `options` begins (search_start.h), where the option `start` alone does not
  // say; empty for the others.
  std::function<std::string(Options& options)> start_of = {};
};

}  // namespace opyard::agents
