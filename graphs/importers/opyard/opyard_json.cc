#include "graphs/importers/opyard/opyard_json.h"

#include "sim/io/graph/graph_json.h"

namespace opyard::graphs {

bool OpyardJsonImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  return HeadOf(file).find("\"opyard-graph/") != std::string_view::npos;
}

ImportedGraph OpyardJsonImporter::Import(const ImportFile& file, Options& /*options*/) const {
  ImportedGraph imported{.graph = sim::ReadGraphText(file.bytes, file.place)};
  imported.summary.nodes_read = imported.graph->num_ops();
  return imported;
}

}  // namespace opyard::graphs
