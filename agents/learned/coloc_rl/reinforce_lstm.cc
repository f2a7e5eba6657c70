// The agent `reinforce_lstm`; declaration.h says what it is.
#include "agents/learned/coloc_rl/declaration.h"
#include "agents/learned/coloc_rl/search.h"
#include "agents/learned/common/search_agent.h"

namespace opyard::agents {

std::unique_ptr<Agent> ReinforceLstmDeclaration::Make(const ReinforceLstmSettings& settings) {
  return std::make_unique<SearchAgent<ColocRlSearch, ReinforceLstmSettings>>(settings);
}

}  // namespace opyard::agents
