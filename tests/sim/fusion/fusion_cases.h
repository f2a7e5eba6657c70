// Small graphs to fuse, and the kernels that come of them, by the names of their ops.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/fusion/fuser.h"
#include "sim/graph/op_graph.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {

// An op of `type`, whose class follows from it, that reads `inputs` and makes one output for each
// entry of `output_bytes`.
[[nodiscard]] inline sim::OpSpec TypedOp(const std::string& name,
                                         const std::string& type,
                                         std::vector<sim::InputRef> inputs = {},
                                         const std::vector<std::int64_t>& output_bytes = {1000}) {
  sim::OpSpec op{.name = name, .type = type, .inputs = std::move(inputs)};
  for (const std::int64_t bytes : output_bytes) {
    op.outputs.push_back(sim::OutputSpec{.bytes = Bytes{bytes}});
  }
  return op;
}

// The arguments of a call of Fuse beside the graph; by default everything on one device, and every
// op with priority 1 as frameworks do.
struct FusionAsk {
  std::vector<std::int32_t> devices = {};
  std::vector<std::int32_t> priority = {};
  sim::FusionLimits limits = {};
};

// The kernels, each as the names of its ops in topological order, by their least op.
[[nodiscard]] inline std::vector<std::string> KernelsOf(std::vector<sim::OpSpec> ops,
                                                        FusionAsk ask = {}) {
  const auto graph = MakeGraph(std::move(ops));
  ask.devices.resize(graph->num_ops(), 0);
  ask.priority.resize(graph->num_ops(), 1);
  sim::FusionWorkspace workspace;
  sim::Fuse(sim::PrepareFusion(*graph, ask.limits),
            PlacedOn(ask.devices).placement,
            ask.priority,
            workspace);
  std::vector<std::string> kernels;
  for (std::size_t i = 0; i < workspace.kernels.num_kernels; ++i) {
    std::string names;
    for (const std::int32_t op : workspace.kernels.ops_of(i)) {
      names += (names.empty() ? "" : " ") + graph->op(graph->topological_order()[At(op)]).name;
    }
    kernels.push_back(names);
  }
  return kernels;
}

}  // namespace opyard::testing
