// Graphs as GraphML, for networkx, Gephi, yEd and back.
#pragma once

#include <filesystem>
#include <string>

#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// One node per op and one edge per argument and per control input, with typed values named as in
// our own format; lists and blocks of shapes are JSON texts. GraphmlImporter makes an equal graph
// of it. Throws InputError for a name with control characters, which XML cannot hold.
// O(ops + edges).
[[nodiscard]] std::string GraphmlText(const sim::OpGraph& graph);

// Writes it, packed if `path` ends in .gz, through a temporary file beside it.
void WriteGraphmlFile(const sim::OpGraph& graph, const std::filesystem::path& path);

}  // namespace opyard::graphs
