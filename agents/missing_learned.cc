#include "agents/missing_learned.h"

#include "agents/base/search_start.h"
#include "agents/learned/declarations.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

template <class Declaration>
AgentEntry MissingEntry(const std::string& why) {
  AgentInfo info = WithOptions(Declaration::Info(), Declaration::Options().Describe());
  const std::string message = "agent " + info.name + " needs LibTorch: " + why;
  info.summary += " Not available here: " + why;
  AgentEntry entry{
      .info = std::move(info),
      .make = [message](Options&) -> std::unique_ptr<Agent> { throw InputError(message); },
      .check = [message](Options&) -> std::vector<OptionFault> { throw InputError(message); }};
  if constexpr (requires { Declaration::MakeTrainer; }) {
    entry.make_trainer = [message](Options&, const TrainingPlan&) -> std::unique_ptr<Trainer> {
      throw InputError(message);
    };
  }
  return entry;
}

template <class... Declarations>
std::vector<AgentEntry> MissingEntries(DeclarationList<Declarations...> /*list*/,
                                       const std::string& why) {
  return {MissingEntry<Declarations>(why)...};
}

}  // namespace

AgentRegistry MissingLearnedAgents(const std::string& why) {
  const auto run = [why]() -> std::string {
    if (why == kBuiltWithoutTorch || why == kLearnedNotInstalled) {
      throw UnsupportedError("none, and no learned agents: " + why);
    }
    throw InputError(why);
  };
  return AgentRegistry(MissingEntries(LearnedDeclarations{}, why),
                       {{.name = "LibTorch", .run = run}});
}

}  // namespace opyard::agents
