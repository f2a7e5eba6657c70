// The agent `placeto`; declaration.h says what it is.
#include "agents/learned/common/search_agent.h"
#include "agents/learned/placeto/declaration.h"
#include "agents/learned/placeto/search.h"

namespace opyard::agents {

std::unique_ptr<Agent> PlacetoDeclaration::Make(const PlacetoSettings& settings) {
  return std::make_unique<SearchAgent<PlacetoSearch, PlacetoSettings>>(settings);
}

}  // namespace opyard::agents
