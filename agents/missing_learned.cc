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
  return AgentRegistry(std::move(entries));
}

}  // namespace opyard::agents
