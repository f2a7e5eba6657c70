// Reads GraphML: what opyard writes (graphs/exporters/graphml.h), and graphs of networkx, yEd,
// Gephi.
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// *.graphml: nodes become ops and edges tensors. The words of our format mean the same in any file
// (docs/importing.md); cost, size and weight are figures without a unit. Where edges name no output
// of their source, those of one size carry one tensor. A tensor without a size is as large as the
// largest of the file. Options: seconds_per_cost, bytes_per_size.
class GraphmlImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "graphml"; }
  [[nodiscard]] std::string summary() const override { return "GraphML of ours or of others"; }
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
