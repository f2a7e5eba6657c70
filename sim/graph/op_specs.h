// The rules that the description of a graph must keep before it becomes an OpGraph.
#pragma once

#include <span>
#include <string>

#include "sim/base/error.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

// Adds what is wrong with `ops`, cycles aside, to `diagnostics`: places are
// "`place`/ops/3/inputs/0". O(ops + edges).
void CheckOpSpecs(std::span<const OpSpec> ops, const std::string& place, Diagnostics& diagnostics);

// True if `input` names an output that exists.
[[nodiscard]] bool Exists(const InputRef& input, std::span<const OpSpec> ops);
// True if `op` is the index of an op.
[[nodiscard]] inline bool IsOpIndex(std::int64_t op, std::span<const OpSpec> ops) {
  return op >= 0 && static_cast<std::uint64_t>(op) < ops.size();
}

}  // namespace opyard::sim
