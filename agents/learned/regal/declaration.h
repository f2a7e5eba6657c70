// The declarations of `regal` and `gas`, known with and without LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/base/trainer.h"
#include "agents/learned/regal/settings.h"

namespace opyard::agents {

// REGAL: a trained graph network proposes the distributions that a genetic algorithm samples from.
struct RegalDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<RegalSettings> Options();
  // In libopyard_learned (regal.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const RegalSettings& settings);
  // In libopyard_learned (trainer.cc).
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const RegalSettings& settings,
                                                            const TrainingPlan& plan);
};

// The same with an LSTM in place of the graph network: REGAL's ablation "graph as sequence".
struct GasDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<RegalSettings> Options();
  [[nodiscard]] static std::unique_ptr<Agent> Make(const RegalSettings& settings);
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const RegalSettings& settings,
                                                            const TrainingPlan& plan);
};

}  // namespace opyard::agents
