#include "agents/base/agent_info.h"

namespace opyard::agents {

const char* NameOf(AgentKind kind) {
  switch (kind) {
    case AgentKind::kClassical:
      return "classical";
    case AgentKind::kSearch:
      return "search";
    case AgentKind::kLearned:
      return "learned";
    case AgentKind::kPython:
      return "python";
  }
  return "";
}

}  // namespace opyard::agents
