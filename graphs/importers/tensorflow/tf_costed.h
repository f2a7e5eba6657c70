// Reads TensorFlow graphs with the costs of its analytical estimator, as JSON (docs/importing.md).
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// {"meta": {"node_fields", …}, "nodes": [[name, op, cost_ns or null, [output bytes] or null]],
// "edges": [[source, port or −1 for control, destination]]}. The costs become the ops' seconds;
// they are a roofline model of one device, which the summary says. What becomes of the nodes:
// tf_graph.h. Takes no options.
class TfCostedImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "costed"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
