#include "agents/learned/learned_agents.h"

#include <torch/version.h>

#include "agents/learned/coloc_rl/reinforce_lstm.h"
#include "agents/learned/common/libtorch_check.h"

namespace opyard::agents {

AgentRegistry LearnedAgents() {
  return AgentRegistry({ReinforceLstmEntry()}, {LibTorchCheck()});
}

const char* LibTorchVersion() {
  return TORCH_VERSION;
}

}  // namespace opyard::agents
