// The declarations of `go` and of its modes with a trained network, known with and without
// LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/base/trainer.h"
#include "agents/learned/go/settings.h"

namespace opyard::agents {

// Throws InputError unless `heads` divides `hidden`.
void EnsureHeadsFit(const GoSizes& sizes);

// GO: one network that places, schedules and fuses all ops at once.
struct GoDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<GoSettings> Options();
  // In libopyard_learned (go.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const GoSettings& settings);
  // In libopyard_learned (trainer.cc).
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const GoSettings& settings,
                                                            const TrainingPlan& plan);
};

// The modes of `go` that use a trained network, under names of their own: other defaults, nothing
// else.
struct GoZeroshotDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<GoSettings> Options();
  [[nodiscard]] static std::unique_ptr<Agent> Make(const GoSettings& settings);
};
struct GoFinetuneDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<GoSettings> Options();
  [[nodiscard]] static std::unique_ptr<Agent> Make(const GoSettings& settings);
};

}  // namespace opyard::agents
