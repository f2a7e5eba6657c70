// The declarations of `regal` and `gas`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/base/trainer.h"
#include "agents/learned/regal/settings.h"

namespace opyard::agents::regal {

// REGAL: a trained graph network proposes the distributions that a genetic algorithm samples from.
struct Declaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  // In libopyard_learned (regal.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
  // In libopyard_learned (trainer.cc).
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const Settings& settings,
                                                            const TrainingPlan& plan);
};

// The same with an LSTM in place of the graph network: REGAL's ablation "graph as sequence".
struct GasDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const Settings& settings,
                                                            const TrainingPlan& plan);
};

}  // namespace opyard::agents::regal
