// The agent `doppler`; declaration.h says what it is.
#include "agents/learned/common/search_agent.h"
#include "agents/learned/doppler/declaration.h"
#include "agents/learned/doppler/search.h"

namespace opyard::agents::doppler {

std::unique_ptr<Agent> Declaration::Make(const Settings& settings) {
  return std::make_unique<SearchAgent<Search, Settings>>(settings);
}

}  // namespace opyard::agents::doppler
