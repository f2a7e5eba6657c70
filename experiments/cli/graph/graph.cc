#include "experiments/cli/graph/graph.h"

#include <CLI/CLI.hpp>

#include "experiments/cli/graph/annotate.h"
#include "experiments/cli/graph/coarsen.h"
#include "experiments/cli/graph/convert.h"
#include "experiments/cli/graph/diff.h"
#include "experiments/cli/graph/info.h"
#include "experiments/cli/graph/list.h"
#include "experiments/cli/graph/microbatch.h"
#include "experiments/cli/graph/sample.h"
#include "experiments/cli/graph/show.h"
#include "experiments/cli/graph/workloads.h"
#include "experiments/cli/subcommand.h"

namespace opyard::experiments {

void AddGraphArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app, {.name = "graph", .summary = "graphs", .examples = "  opyard graph info gnmt2"});
  AddGraphInfoArguments(group, command);
  AddGraphListArguments(group, command);
  AddGraphCoarsenArguments(group, command);
  AddGraphMicrobatchArguments(group, command);
  AddGraphShowArguments(group, command);
  AddGraphDiffArguments(group, command);
  AddGraphAnnotateArguments(group, command);
  AddGraphSampleArguments(group, command);
  AddGraphWorkloadsArguments(group, command);
  AddGraphConvertArguments(group, command);
}

}  // namespace opyard::experiments
