#include "experiments/cli/plan/plan.h"

#include <CLI/CLI.hpp>

#include "experiments/cli/plan/diff.h"
#include "experiments/cli/plan/edit.h"
#include "experiments/cli/plan/export.h"
#include "experiments/cli/plan/from_pipeline.h"
#include "experiments/cli/plan/from_schedule.h"
#include "experiments/cli/plan/show.h"
#include "experiments/cli/plan/to_order.h"
#include "experiments/cli/subcommand.h"

namespace opyard::experiments {

void AddPlanArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app,
      {.name = "plan",
       .summary = "plans",
       .examples = "  opyard plan show best.plan.json --graph gnmt2 --hardware p100x2-pcie"});
  AddPlanShowArguments(group, command);
  AddPlanDiffArguments(group, command);
  AddPlanEditArguments(group, command);
  AddPlanToOrderArguments(group, command);
  AddPlanFromScheduleArguments(group, command);
  AddPlanFromPipelineArguments(group, command);
  AddPlanExportArguments(group, command);
}

}  // namespace opyard::experiments
