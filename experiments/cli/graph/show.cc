#include "experiments/cli/graph/show.h"

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/graphs/graph_dot.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/plan_reading.h"
#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

struct GraphShowOptions {
  std::string graph;
  bool dot = false;                     // the only picture there is
  std::optional<std::string> plan;      // colours ops by device; needs `hardware`
  std::optional<std::string> hardware;  // the machine that `plan` is for
};

// Prints DOT text. Throws InputError if `dot` is not set.
[[nodiscard]] int ShowGraph(const GraphShowOptions& options, const Console& console);

}  // namespace

void AddGraphShowArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(group,
                                       {.name = "show",
                                        .summary = "render a graph",
                                        .examples = "  opyard graph show gnmt2 --dot > gnmt2.dot"});
  const auto options = std::make_shared<GraphShowOptions>();
  AddGraphArgument(subcommand, options->graph);
  subcommand.add_flag("--dot", options->dot, "DOT text for Graphviz, coloured by phase");
  CLI::Option& plan =
      *subcommand.add_option("--plan", options->plan, "plan file: colour by device");
  plan.type_name("PLAN");
  subcommand.add_option("--hardware", options->hardware, "the machine of the plan")
      ->type_name("MACHINE")
      ->needs(&plan);
  plan.needs("--hardware");
  Choose(subcommand, command, options, &ShowGraph);
}

namespace {

OpColours ColoursByDevice(const sim::OpGraph& graph,
                          const GraphShowOptions& options,
                          const Console& console) {
  const auto hardware = sim::LoadMachine(*options.hardware);
  const sim::Plan plan = LoadPlan(*options.plan, graph, *hardware, NoticesOn(console));
  OpColours colours{.names = hardware->DeviceNames()};
  for (const DeviceId device : plan.placement) {
    colours.class_of.push_back(device.index());
  }
  return colours;
}

int ShowGraph(const GraphShowOptions& options, const Console& console) {
  if (!options.dot) {
    throw InputError("opyard graph show: expected --dot, the only form there is");
  }
  const auto graph = LoadGraph(options.graph, NoticesOn(console));
  console.out << GraphDot(*graph,
                          options.plan.has_value() ? ColoursByDevice(*graph, options, console)
                                                   : ColoursByPhase(*graph));
  return kSuccess;
}

}  // namespace
}  // namespace opyard::experiments
