// The agent `placeto`; declaration.h says what it is.
#include "agents/learned/common/search_agent.h"
#include "agents/learned/placeto/declaration.h"
#include "agents/learned/placeto/search.h"

namespace opyard::agents::placeto {

std::unique_ptr<Agent> Declaration::Make(const Settings& settings) {
  return std::make_unique<SearchAgent<Search, Settings>>(settings);
}

}  // namespace opyard::agents::placeto
