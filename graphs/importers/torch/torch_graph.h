// A graph of ATen ops as its file holds it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphs/importers/common/import_summary.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

struct TorchNode {
  enum class Kind { kPlaceholder, kCall, kGetAttr, kOutput };

  std::string name;
  Kind kind = Kind::kCall;
  std::string op;  // "aten.add.Tensor"
  std::vector<sim::OutputSpec> outputs;
  std::vector<std::size_t> inputs;  // indices of earlier nodes, in argument order, each once
};

struct TorchGraph {
  std::string route;  // how it was made; "" if the file does not say
  // For a joint graph: the number of the first placeholders that are parameters.
  std::optional<std::int64_t> num_parameters;
  std::vector<TorchNode> nodes;  // in topological order
};

// Moves the ops of `graph` into `builder`. Adds what cannot be an op to `diagnostics`.
void LowerTorchGraph(const TorchGraph& graph,
                     const std::string& place,
                     sim::OpGraphBuilder& builder,
                     ImportSummary& summary,
                     Diagnostics& diagnostics);

}  // namespace opyard::graphs
