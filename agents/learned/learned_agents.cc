#include "agents/learned/learned_agents.h"

#include <torch/version.h>

#include "agents/base/make_entry.h"
#include "agents/learned/common/libtorch_check.h"
#include "agents/learned/declarations.h"

namespace opyard::agents {
namespace {

template <class... Declarations>
std::vector<AgentEntry> EntriesOf(DeclarationList<Declarations...> /*list*/) {
  return {MakeEntry(Declarations::Info(),
                    Declarations::Options(),
                    Declarations::Make,
                    Declarations::MakeTrainer)...};
}

}  // namespace

AgentRegistry LearnedAgents() {
  return AgentRegistry(EntriesOf(LearnedDeclarations{}), {LibTorchCheck()});
}

const char* LibTorchVersion() {
  return TORCH_VERSION;
}

}  // namespace opyard::agents
