// Reads TensorFlow's binary GraphDef (*.pb).
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// Reads the wire format itself; the functions of the library are not read, calls of them are opaque
// ops. Shapes come from the attribute _output_shapes. What becomes of the nodes: tf_graph.h.
// Takes no options.
class TfGraphDefImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "graphdef"; }
  [[nodiscard]] std::string summary() const override { return "TensorFlow's binary GraphDef"; }
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
