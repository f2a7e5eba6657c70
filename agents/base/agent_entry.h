// One registered agent: what it is and how it is made.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/trainer.h"
#include "sim/base/options.h"

namespace opyard::agents {

// MakeEntry (make_entry.h) makes one; by hand only in tests.
struct AgentEntry {
  AgentInfo info;
  std::function<std::unique_ptr<Agent>(Options& options)> make;
  // Of an agent that can be trained over many problems; empty for the others.
  std::function<std::unique_ptr<Trainer>(Options& options, const TrainingPlan& plan)> make_trainer =
      {};
  // Where a search with `options` begins (search_start.h), where the option `start` alone does not
  // say; empty for the others.
  std::function<std::string(Options& options)> start_of = {};
};

}  // namespace opyard::agents
