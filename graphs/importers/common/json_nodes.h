// JSON files of other tools with an array "nodes", which is read node by node.
#pragma once

#include <cstddef>
#include <functional>

#include "graphs/importers/common/importer.h"
#include "sim/base/error.h"
#include "sim/io/json/json_cursor.h"

namespace opyard::graphs {

struct JsonNodeVisitor {
  // Takes a node and its index; returns false to end the parse, having reported why.
  std::function<bool(const sim::JsonCursor& node, std::size_t index)> take_node;
  // The rest of the file, in which "nodes" is empty; after all nodes.
  std::function<void(const sim::JsonCursor& root)> read_root;
};

// Parses `file` and hands out its parts. Throws InputError with what is added to `diagnostics` by
// then or meanwhile, and for more than kMostImportedNodes. Holds one node at a time.
void ReadJsonNodes(const ImportFile& file,
                   Diagnostics& diagnostics,
                   const JsonNodeVisitor& visitor);

}  // namespace opyard::graphs
