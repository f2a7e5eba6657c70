// The declaration of `go_search`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/learned/go_search/settings.h"

namespace opyard::agents::go_search {

// GO, then a search from its best plan.
struct Declaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  // In libopyard_learned (go_search.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
};

}  // namespace opyard::agents::go_search
