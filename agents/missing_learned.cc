#include "agents/missing_learned.h"

#include "agents/learned_infos.h"
#include "sim/base/error.h"

namespace opyard::agents {

AgentRegistry MissingLearnedAgents(const std::string& why) {
  std::vector<AgentEntry> entries;
  for (AgentInfo info : {ReinforceLstmInfo()}) {
    const std::string message = "agent " + info.name + " needs LibTorch: " + why;
    info.summary += " Not available here: " + why;
    entries.push_back(
        {.info = std::move(info),
         .make = [message](Options&) -> std::unique_ptr<Agent> { throw InputError(message); }});
  }
  // Leaving LibTorch out is a choice; that it cannot be loaded is a fault.
  const auto look = [why]() -> std::string {
    if (why == kBuiltWithoutTorch) {
      return "none, and no learned agents: " + why;
    }
    throw InputError(why);
  };
  return AgentRegistry(std::move(entries), {{.name = "LibTorch", .look = look}});
}

}  // namespace opyard::agents
