// The declarations of `go` and of its modes with a trained network, known with and without
// LibTorch.
#pragma once

#include <memory>

#include "agents/base/agent.h"
#include "agents/base/agent_info.h"
#include "agents/base/option_table.h"
#include "agents/base/trainer.h"
#include "agents/learned/go/settings.h"

namespace opyard::agents::go {

// Throws InputError unless `heads` divides `hidden`.
void EnsureHeadsFit(const Sizes& sizes);

// GO: one network that places, schedules and fuses all ops at once.
struct Declaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  // In libopyard_learned (go.cc).
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
  // In libopyard_learned (trainer.cc).
  [[nodiscard]] static std::unique_ptr<Trainer> MakeTrainer(const Settings& settings,
                                                            const TrainingPlan& plan);
};

// The modes of `go` that use a trained network, under names of their own: other defaults, nothing
// else.
struct ZeroshotDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
};
struct FinetuneDeclaration {
  [[nodiscard]] static AgentInfo Info();
  [[nodiscard]] static OptionTable<Settings> Options();
  [[nodiscard]] static std::unique_ptr<Agent> Make(const Settings& settings);
};

}  // namespace opyard::agents::go
