// The export of a plan to a framework, and what the framework makes of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "env/problem.h"
#include "experiments/plans/layouts/layout.h"
#include "experiments/plans/layouts/layout_target.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

// The ops of one module that the nearest plan has on another device than the plan.
struct ModuleMove {
  std::string module;  // its path
  std::string device;
  std::size_t ops = 0;      // that moved there
  std::size_t all_ops = 0;  // of the module, those of modules below left out
};

struct LayoutExport {
  std::vector<Inexpressible> inexpressible;  // of the plan as it was given
  Layout layout;                             // without files if it cannot be expressed
  std::vector<Inexpressible> left;  // of the nearest plan: what keeps it from being written
  std::vector<ModuleMove> moves;    // of the nearest plan
  sim::SimReport run;               // of the plan as it was given
  std::shared_ptr<const env::Problem> run_problem;  // what the framework runs; with micro-batches
  sim::Plan run_plan;
  sim::SimReport run_as_exported;

  [[nodiscard]] bool is_written() const { return !layout.files.empty(); }
};

// Writes `plan` for `target`, or, where options.nearest is set and the target cannot express it,
// the nearest plan that it can. `run_problem`, `run_plan` and `run_as_exported` have a value where
// the layout is written. Throws InputError for names of devices that the machine lacks, and as
// ScheduleStages; PlanError for a plan that does not fit; UnsupportedError as env::Problem.
[[nodiscard]] LayoutExport ExportLayout(const env::Problem& problem,
                                        const sim::Plan& plan,
                                        const LayoutTarget& target,
                                        const LayoutOptions& options);

// "accelerate cannot express: …" with a line per reason.
[[nodiscard]] std::string ReasonsText(const std::vector<Inexpressible>& reasons);

}  // namespace opyard::experiments
