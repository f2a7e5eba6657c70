// The declaration of `go_search`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/learned/go_search/settings.h"

namespace opyard::agents {

// GO, then a search from its best plan.
struct GuidedSearchDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<GuidedSearchSettings> Options();
  // In libopyard_learned (go_search.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const GuidedSearchSettings& settings);
};

}  // namespace opyard::agents
