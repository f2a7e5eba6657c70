// The agent `go` and its modes; declaration.h says what they are.
#include <string>
#include <utility>

#include "agents/learned/common/search_agent.h"
#include "agents/learned/go/declaration.h"
#include "agents/learned/go/search.h"
#include "sim/base/data_root.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

void RequireHeads(const GoSizes& sizes) {
  if (sizes.hidden % sizes.heads != 0) {
    throw InputError("heads: found " + std::to_string(sizes.heads) + ", expected a divisor of " +
                     std::to_string(sizes.hidden) + ", the width `hidden`");
  }
}

}  // namespace

std::unique_ptr<Agent> GoDeclaration::Make(const GoSettings& settings) {
  RequireHeads(settings.training.sizes);
  GoSettings complete = settings;
  if (settings.training.mode != GoMode::kOne && settings.session.checkpoint.empty()) {
    complete.session.checkpoint = (DataRoot() / "weights" / "go.opyard").string();
  }
  return std::make_unique<SearchAgent<GoSearch, GoSettings>>(std::move(complete));
}

std::unique_ptr<Agent> GoZeroshotDeclaration::Make(const GoSettings& settings) {
  return GoDeclaration::Make(settings);
}

std::unique_ptr<Agent> GoFinetuneDeclaration::Make(const GoSettings& settings) {
  return GoDeclaration::Make(settings);
}

}  // namespace opyard::agents
