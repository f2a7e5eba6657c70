// Reads graphs of ATen ops: {"meta", "nodes", "edges"}, written from torch.export or from the joint
// graph of forward and backward (docs/importing.md).
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// Treatment of the nodes:
//   `call_function`: one op, typed by AtenOps(); a view aliases its input and costs nothing;
//     convolution_backward becomes one op per gradient.
//   `getitem`, `detach`, `alias` and `output` become nothing: edges name the output they read, and
//     what the graph gives back is kept.
//   `placeholder`: a Variable if it is a parameter (by the name p_… of torch.export, by
//     meta.gradients_to_parameters in a joint graph) or a buffer (b_…), else a Placeholder.
// Takes no options.
class TorchJsonImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "torch"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
