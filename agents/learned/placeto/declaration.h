// The declaration of `placeto`, known with and without LibTorch.
#pragma once

#include <memory>
#include <string>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/base/trainer.h"
#include "agents/learned/placeto/settings.h"

namespace opyard::agents::placeto {

// Placeto: a policy that visits one node after the other and places it anew.
struct Declaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  // Where the first episode begins (agents/base/search_start.h).
  [[nodiscard]] static std::string StartOf(const Settings& settings);
  // In libopyard_learned (placeto.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
  // In libopyard_learned (trainer.cc).
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const Settings& settings,
                                                            const TrainingPlan& plan);
};

}  // namespace opyard::agents::placeto
