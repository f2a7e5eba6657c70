// Helpers for tests that inspect the graph of a GraphBuilder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graphs/builder/graph_builder.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The types of ops `first` to the end, constants left out.
inline std::vector<std::string> TypesFrom(const GraphBuilder& builder, std::size_t first) {
  std::vector<std::string> types;
  for (std::size_t op = first; op < builder.num_ops(); ++op) {
    const std::string type(builder.node(OpId(op)).kind->type);
    if (type != "Const") {
      types.push_back(type);
    }
  }
  return types;
}

using Histogram = std::map<std::string, int>;

// The number of ops of each type; of one phase, if it is not kUnknown.
inline Histogram CountTypes(const sim::OpGraph& graph, sim::Phase phase = sim::Phase::kUnknown) {
  Histogram counts;
  for (const sim::Op& op : graph.ops()) {
    if (phase == sim::Phase::kUnknown || op.phase == phase) {
      ++counts[op.type];
    }
  }
  return counts;
}

inline OpId FindOp(const sim::OpGraph& graph, const std::string& name) {
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    if (graph.ops()[op].name == name) {
      return OpId(op);
    }
  }
  throw std::out_of_range("no op \"" + name + "\"");
}

}  // namespace opyard::graphs
