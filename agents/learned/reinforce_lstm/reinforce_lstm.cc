// The agent `reinforce_lstm`; declaration.h says what it is.
#include "agents/learned/common/search_agent.h"
#include "agents/learned/reinforce_lstm/declaration.h"
#include "agents/learned/reinforce_lstm/search.h"

namespace opyard::agents::reinforce_lstm {

std::unique_ptr<Agent> Declaration::Make(const Settings& settings) {
  return std::make_unique<SearchAgent<Search, Settings>>(settings);
}

}  // namespace opyard::agents::reinforce_lstm
