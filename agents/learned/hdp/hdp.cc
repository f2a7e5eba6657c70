// The agent `hdp`; declaration.h says what it is.
#include "agents/learned/common/search_agent.h"
#include "agents/learned/hdp/declaration.h"
#include "agents/learned/hdp/search.h"

namespace opyard::agents {

std::unique_ptr<Agent> HdpDeclaration::Make(const HdpSettings& settings) {
  return std::make_unique<SearchAgent<HdpSearch, HdpSettings>>(settings);
}

}  // namespace opyard::agents
