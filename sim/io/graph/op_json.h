// One op of a graph file: from JSON to an OpSpec (docs/formats.md, "Graph").
#pragma once

#include <cstdint>
#include <string>

#include "sim/graph/op_graph.h"
#include "sim/io/json/json_cursor.h"

namespace opyard::sim {

// Reads what has the right form; all else is reported and left at its default, so that the checks
// of OpGraphBuilder still say something about the rest of the graph.
[[nodiscard]] OpSpec ReadOp(const JsonCursor& op);

// The modules of ops in a text: what no simulation reads.
enum class ModulesInText : std::uint8_t { kWritten, kLeftOut };

// Appends op `id` of `graph` as one line of JSON. Defaults are left out where the reader derives
// them again.
void AppendOp(const OpGraph& graph,
              OpId id,
              std::string& out,
              ModulesInText modules = ModulesInText::kWritten);

}  // namespace opyard::sim
