// Layouts: plans in the forms that frameworks read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "env/problem.h"
#include "experiments/plans/layouts/op_roles.h"
#include "sim/graph/modules.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

// One file of a layout.
struct LayoutFile {
  std::string name;  // "device_map.json"
  std::string text;
};

// A decision of a plan that a target cannot express.
struct Inexpressible {
  std::string what;          // "module encoder.layers.3", "order of ops"
  std::string why;           // "on gpu0 (op q) and gpu1 (op k); a device_map knows whole modules"
  std::int32_t module = -1;  // the module that would have to be on one device; -1 for others
};

// The schedules of pipelines that can be asked for.
enum class StageSchedule : std::uint8_t {
  kOfPlan,  // the order in which the run of the plan starts the passes
  kOneForwardOneBackward,
  kGPipe,
};

struct LayoutOptions {
  bool nearest = false;
  StageSchedule schedule = StageSchedule::kOfPlan;
  std::int64_t microbatches = 1;             // to repeat the step in, where it has none
  std::map<std::string, std::string> names;  // of devices in the framework, by those of the machine
};

// A plan with what targets know of it. All that it refers to outlives it.
struct LayoutInput {
  const env::Problem& problem;
  const sim::ModuleTree& tree;
  const std::vector<OpRole>& roles;  // [num_ops]
  const sim::Plan& plan;
  const sim::SimReport& run;  // of the plan
  const LayoutOptions& options;
};

// The files of a target, and remarks on what they leave open.
struct Layout {
  std::vector<LayoutFile> files;
  std::vector<std::string> notes;
};

// "the network" or "module encoder.layers.3".
[[nodiscard]] std::string ModuleText(const sim::ModuleTree& tree, std::int32_t module);

// "a, b": parts with commas between.
[[nodiscard]] std::string Joined(const std::vector<std::string>& parts, const std::string& between);

}  // namespace opyard::experiments
