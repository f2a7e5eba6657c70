// The settings of a problem beside its graph and machine: the open decisions, the objective, and
// the defaults of what is not decided. The fields' names and values at every place where users
// write them are in problem_fields.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/objective.h"
#include "sim/cost/cost_models.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::env {

enum class DecidePer : std::uint8_t { kGroup, kOp, kModule };

// The groups of agents that decide for all groups at once, unless max_groups says otherwise.
inline constexpr std::int32_t kUsualGroups = 512;

// The fusion where it is no task: none, as in an eager runtime; or, as in compiling frameworks, of
// all ops that may fuse (every op has fusion priority 1), with kModule inside of modules alone.
enum class DefaultFusion : std::uint8_t { kNone, kFramework, kModule };

// The defaults are those of Python and of C++; experiments and the command line begin with other
// tasks (DefaultsAt in problem_fields.h). What a search may spend is no part of its problem
// (budget.h).
struct ProblemSettings {
  TaskSet tasks;
  Objective objective;
  sim::QueueDiscipline default_queue = sim::QueueDiscipline::kFifo;
  DefaultFusion default_fusion = DefaultFusion::kFramework;  // kNone under rules `placeto`
  DecidePer decide_per = DecidePer::kGroup;  // kOp still keeps co-located ops together
  // For kModule, and for kernels inside of modules: the depth of the modules that count as a whole
  // (sim/graph/modules.h); nothing: the innermost ones.
  std::optional<std::int32_t> module_depth = {};
  // For kGroup and kModule: the most groups. 0: of modules no limit, else kUsualGroups, and no
  // limit for agents that search on several levels (Problem::finest_grouping).
  std::int32_t max_groups = 0;
  // Whether devices follow the network's order (contiguity.h).
  bool contiguous = false;
  // The rule of a device whose memory is full; nothing: the machine's own.
  std::optional<sim::OnExceed> memory = {};
  // The names of the devices that ops may be placed on; empty: all of the machine. Copies may pass
  // over the others.
  std::vector<std::string> devices = {};
  // The model of the ops' times: a name of sim::CostModelNames().
  std::string cost_model = sim::kDefaultCostModel;
  // The agent that runs are compared with, or the label of one: for runners, not for Problem.
  std::string baseline = "single_device";
};

// `machine` with `memory` in the place of its own rule; itself where that is nothing.
[[nodiscard]] std::shared_ptr<const sim::HardwareProfile> WithMemory(
    std::shared_ptr<const sim::HardwareProfile> machine, std::optional<sim::OnExceed> memory);

}  // namespace opyard::env
