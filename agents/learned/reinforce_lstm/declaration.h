// The declaration of `reinforce_lstm`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/base/trainer.h"
#include "agents/learned/reinforce_lstm/settings.h"

namespace opyard::agents::reinforce_lstm {

// ColocRL, the first learned placement: an LSTM that places group after group.
struct Declaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  // In libopyard_learned (reinforce_lstm.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
  // In libopyard_learned (trainer.cc).
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const Settings& settings,
                                                            const TrainingPlan& plan);
};

}  // namespace opyard::agents::reinforce_lstm
