// Reads TensorFlow's CostGraphDef, in whose text form REGAL published its data set.
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// Text or binary, alone or in RunMetadata. One op per node, but for _SOURCE and _SINK, which only
// order. Fields that are left out have Protocol Buffers' default 0; for alias_input_port that means
// "shares the storage of input 0". Nodes refer to each other by id, not by position. Op types are
// not in the format.
//
// Sizes and costs have no unit there. Options: seconds_per_cost (default 1e-6, TensorFlow's own
// use) and bytes_per_size (default 1). A size of -1 was not recorded: it follows from the shape, or
// is that of the op's largest input.
class CostGraphImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "costgraph"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
