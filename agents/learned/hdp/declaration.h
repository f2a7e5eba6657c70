// The declaration of `hdp`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/learned/hdp/settings.h"

namespace opyard::agents {

// HDP: a grouper and a placer, learnt together.
struct HdpDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<HdpSettings> Options();
  // In libopyard_learned (hdp.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const HdpSettings& settings);
};

}  // namespace opyard::agents
