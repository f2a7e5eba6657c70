// The declaration of `doppler`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/learned/doppler/settings.h"

namespace opyard::agents::doppler {

// DOPPLER: one policy takes a ready node, another one places it.
struct Declaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  // In libopyard_learned (doppler.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
};

}  // namespace opyard::agents::doppler
