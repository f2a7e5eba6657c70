// The agent `go` and its modes; declaration.h says what they are.
#include <memory>

#include "agents/learned/common/search_agent.h"
#include "agents/learned/go/complete_settings.h"
#include "agents/learned/go/declaration.h"
#include "agents/learned/go/search.h"

namespace opyard::agents::go {

std::unique_ptr<Agent> Declaration::Make(const Settings& settings) {
  return std::make_unique<SearchAgent<Search, Settings>>(Completed(settings));
}

std::unique_ptr<Agent> ZeroshotDeclaration::Make(const Settings& settings) {
  return Declaration::Make(settings);
}

std::unique_ptr<Agent> FinetuneDeclaration::Make(const Settings& settings) {
  return Declaration::Make(settings);
}

}  // namespace opyard::agents::go
