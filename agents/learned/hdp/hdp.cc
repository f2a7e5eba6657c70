// The agent `hdp`; declaration.h says what it is.
#include "agents/learned/common/search_agent.h"
#include "agents/learned/hdp/declaration.h"
#include "agents/learned/hdp/search.h"

namespace opyard::agents::hdp {

std::unique_ptr<Agent> Declaration::Make(const Settings& settings) {
  return std::make_unique<SearchAgent<Search, Settings>>(settings);
}

}  // namespace opyard::agents::hdp
