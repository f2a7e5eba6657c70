// `opyard agents list` and `agents show`.
#pragma once

#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct AgentsListOptions {
  bool json = false;
};
[[nodiscard]] int PrintAgentsList(const AgentsListOptions& options, const Console& console);

struct AgentsShowOptions {
  std::string name;
  bool json = false;
};
// Throws InputError, with the names that exist, for an unknown agent.
[[nodiscard]] int PrintAgent(const AgentsShowOptions& options, const Console& console);

}  // namespace opyard::experiments
