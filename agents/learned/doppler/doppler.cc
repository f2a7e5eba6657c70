// The agent `doppler`; declaration.h says what it is.
#include "agents/learned/common/search_agent.h"
#include "agents/learned/doppler/declaration.h"
#include "agents/learned/doppler/search.h"

namespace opyard::agents {

std::unique_ptr<Agent> DopplerDeclaration::Make(const DopplerSettings& settings) {
  return std::make_unique<SearchAgent<DopplerSearch, DopplerSettings>>(settings);
}

}  // namespace opyard::agents
