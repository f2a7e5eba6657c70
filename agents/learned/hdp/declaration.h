// The declaration of `hdp`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/learned/hdp/settings.h"

namespace opyard::agents::hdp {

// HDP: a grouper and a placer, learnt together.
struct Declaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  // In libopyard_learned (hdp.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
};

}  // namespace opyard::agents::hdp
