// The agent `go` and its modes; declaration.h says what they are.
#include <memory>

#include "agents/learned/common/search_agent.h"
#include "agents/learned/go/complete_settings.h"
#include "agents/learned/go/declaration.h"
#include "agents/learned/go/search.h"

namespace opyard::agents {

std::unique_ptr<Agent> GoDeclaration::Make(const GoSettings& settings) {
  return std::make_unique<SearchAgent<GoSearch, GoSettings>>(Completed(settings));
}

std::unique_ptr<Agent> GoZeroshotDeclaration::Make(const GoSettings& settings) {
  return GoDeclaration::Make(settings);
}

std::unique_ptr<Agent> GoFinetuneDeclaration::Make(const GoSettings& settings) {
  return GoDeclaration::Make(settings);
}

}  // namespace opyard::agents
