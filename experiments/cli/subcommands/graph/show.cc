#include "experiments/cli/subcommands/graph/show.h"

#include <memory>

#include "experiments/console/notice_printing.h"
#include "experiments/graphs/graph_dot.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/plan_reading.h"
#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
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

}  // namespace

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

}  // namespace opyard::experiments
