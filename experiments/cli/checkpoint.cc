#include "experiments/cli/checkpoint.h"

#include <algorithm>
#include <vector>

#include "sim/base/error.h"

namespace opyard::experiments {

bool TakesCheckpoint(const std::string& agent, const agents::AgentRegistry& registry) {
  const std::vector<agents::OptionInfo>& options = registry.Get(agent).info.options;
  return std::ranges::find(options, "checkpoint", &agents::OptionInfo::name) != options.end();
}

void CheckCheckpoint(const std::string& file,
                     const std::string& agent,
                     const agents::AgentRegistry& registry) {
  if (!file.empty() && !TakesCheckpoint(agent, registry)) {
    throw InputError("--checkpoint: agent " + agent +
                     " begins with no weights, expected an agent of the kind learned (opyard "
                     "agents list)");
  }
}

}  // namespace opyard::experiments
