#include "agents/learned/learned_agents.h"

#include <torch/version.h>

#include "agents/base/make_entry.h"
#include "agents/learned/common/libtorch_check.h"
#include "agents/learned/declarations.h"

namespace opyard::agents {
namespace {

template <class Declaration>
AgentEntry EntryWithoutStart() {
  if constexpr (requires { Declaration::MakeTrainer; }) {
    return MakeEntry(
        Declaration::Info(), Declaration::Options(), Declaration::Make, Declaration::MakeTrainer);
  } else {
    return MakeEntry(Declaration::Info(), Declaration::Options(), Declaration::Make);
  }
}

template <class Declaration>
AgentEntry EntryOf() {
  AgentEntry entry = EntryWithoutStart<Declaration>();
  if constexpr (requires { Declaration::StartOf; }) {
    entry.start_of = [](Options& options) {
      return Declaration::StartOf(Declaration::Options().Read(options));
    };
  }
  return entry;
}

template <class... Declarations>
std::vector<AgentEntry> EntriesOf(DeclarationList<Declarations...> /*list*/) {
  return {EntryOf<Declarations>()...};
}

}  // namespace

AgentRegistry LearnedAgents() {
  return AgentRegistry(EntriesOf(LearnedDeclarations{}), {LibTorchCheck()});
}

const char* LibTorchVersion() {
  return TORCH_VERSION;
}

}  // namespace opyard::agents
