// ColocRL, the first learned placement: an LSTM that places group after group.
#pragma once

#include "agents/registry.h"

namespace opyard::agents {

[[nodiscard]] AgentEntry ReinforceLstmEntry();

}  // namespace opyard::agents
