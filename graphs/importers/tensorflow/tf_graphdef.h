// Reads TensorFlow's GraphDef, binary (*.pb) or text (*.pbtxt).
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// Reads the wire format itself, also of the graph within a MetaGraphDef or a SavedModel, of which
// the nodes that its outputs need are taken. Functions and loops are opened (tf_expansion.h),
// shapes follow from what stands in the file (tf_evaluation.h), and tf_graph.h says what becomes of
// nodes. Options: `dim`, the size of extents that only a run knows; `unroll`, the iterations of a
// loop up to which it is unrolled.
class TfGraphDefImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "graphdef"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
