// One registered agent: what it is and how it is made.
#pragma once

#include <functional>
#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "sim/base/options.h"

namespace opyard::agents {

// MakeEntry (make_entry.h) makes one; by hand only in tests.
struct AgentEntry {
  AgentInfo info;
  std::function<std::unique_ptr<Agent>(Options& options)> make;
};

}  // namespace opyard::agents
