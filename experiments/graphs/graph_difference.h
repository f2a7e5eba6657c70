// Differences between two graphs, op by op.
#pragma once

#include <string>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// One attribute of one op, in the words of the graph format (docs/formats.md, "Graph"). An
// attribute that has its default is "" there.
struct AttributeChange {
  std::string op;  // "" for the graph itself
  std::string attribute;
  std::string before;  // JSON
  std::string after;
};

struct GraphDifference {
  std::vector<std::string> only_before;  // names of ops, in op order
  std::vector<std::string> only_after;
  std::vector<AttributeChange> changes;
  // Both have the same ops, but not in the same order, which decides ties.
  bool has_other_order = false;

  [[nodiscard]] bool is_empty() const {
    return only_before.empty() && only_after.empty() && changes.empty() && !has_other_order;
  }
};

// Ops are the same if their names are; inputs are compared as "PRODUCER:OUTPUT". Names and origins
// of the graphs do not count. O((ops + edges) · log ops).
[[nodiscard]] GraphDifference Compare(const sim::OpGraph& before, const sim::OpGraph& after);

}  // namespace opyard::experiments
