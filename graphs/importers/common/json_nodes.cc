#include "graphs/importers/common/json_nodes.h"

#include "sim/io/json/json_tree.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {

void ReadJsonNodes(const ImportFile& file,
                   Diagnostics& diagnostics,
                   const JsonNodeVisitor& visitor) {
  sim::EnsureUtf8(file.bytes, file.place);
  const std::string root_text = file.place + "#";
  const sim::JsonPlace root(root_text);
  const sim::JsonPlace nodes = root.Member("nodes");
  const auto take = [&](const sim::JsonTree& node, std::size_t index) {
    if (index == kMostImportedNodes) {
      diagnostics.AddError(nodes.Text(),
                           "found more nodes than can be read, expected at most 1048576");
      return false;
    }
    return visitor.take_node(sim::JsonCursor(node, 0, nodes.Item(index), diagnostics), index);
  };
  const sim::JsonTree tree =
      sim::ParseJson(file.bytes, file.place, diagnostics, {.key = "nodes", .on_element = take});
  if (tree.nodes.empty()) {  // the parse ended early: what is missing says nothing
    diagnostics.ThrowIfAny();
  }
  visitor.read_root(sim::JsonCursor(tree, 0, root, diagnostics));
  diagnostics.ThrowIfAny();
}

}  // namespace opyard::graphs
