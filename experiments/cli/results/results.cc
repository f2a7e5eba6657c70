#include "experiments/cli/results/results.h"

#include <CLI/CLI.hpp>

#include "experiments/cli/results/best.h"
#include "experiments/cli/results/best_known.h"
#include "experiments/cli/results/export.h"
#include "experiments/cli/results/list.h"
#include "experiments/cli/results/merge.h"
#include "experiments/cli/results/show.h"
#include "experiments/cli/subcommand.h"

namespace opyard::experiments {

void AddResultsArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app,
      {.name = "results",
       .summary = "stored results",
       .examples = "  opyard results show results/mine\n"
                   "  opyard results export results/mine --out results/mine/csv"});
  AddResultsListArguments(group, command);
  AddResultsShowArguments(group, command);
  AddResultsBestArguments(group, command);
  AddBestKnownArguments(group, command);
  AddResultsMergeArguments(group, command);
  AddResultsExportArguments(group, command);
}

}  // namespace opyard::experiments
