// The registration of an agent: from what it is and its table of options.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "agents/base/agent_entry.h"
#include "agents/base/option_table.h"
#include "agents/base/search_start.h"
#include "agents/base/trainer.h"

namespace opyard::agents {

// An agent takes what its table says and nothing else: `make` is given the settings that were read
// from it, never the options.
template <class Settings>
[[nodiscard]] AgentEntry MakeEntry(
    AgentInfo info,
    OptionTable<Settings> options,
    std::type_identity_t<std::function<std::unique_ptr<Agent>(const Settings& settings)>> make) {
  return {.info = WithOptions(std::move(info), options.Describe()),
          .make = [table = options,
                   make = std::move(make)](Options& given) { return make(table.Read(given)); },
          .check = [table = std::move(options)](Options& given) { return table.Check(given); }};
}

// The same for an agent that can be trained over many problems, too.
template <class Settings>
[[nodiscard]] AgentEntry MakeEntry(
    AgentInfo info,
    OptionTable<Settings> options,
    std::type_identity_t<std::function<std::unique_ptr<Agent>(const Settings& settings)>> make,
    std::type_identity_t<
        std::function<std::unique_ptr<Trainer>(const Settings& settings, const TrainingPlan& plan)>>
        make_trainer) {
  AgentEntry entry = MakeEntry(std::move(info), options, std::move(make));
  entry.make_trainer = [table = std::move(options), make_trainer = std::move(make_trainer)](
                           Options& given, const TrainingPlan& plan) {
    return make_trainer(table.Read(given), plan);
  };
  return entry;
}

// The same for an agent that is constructed from its settings.
template <class AgentType, class Settings>
[[nodiscard]] AgentEntry MakeEntry(AgentInfo info, OptionTable<Settings> options) {
  return MakeEntry(std::move(info), std::move(options), [](const Settings& settings) {
    return std::make_unique<AgentType>(settings);
  });
}

// The settings of an agent that takes no options.
struct NoSettings {};

}  // namespace opyard::agents
