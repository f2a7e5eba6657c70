// Reads GXL, the Graph eXchange Language, with weights: task graphs of scheduling.
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// *.gxl: each node has an <attr name="Weight"> that says how long its task takes, and each edge one
// that says how much later a task starts elsewhere. Nodes become ops of type Task, which never
// fuse, with measured seconds; each edge becomes a tensor of its own. Ops are called by their id.
// Options: seconds_per_cost of a node, by default 1e-3, and bytes_per_size of an edge, by default
// 1e6, which takes the same millisecond at 1 GB/s.
class GxlImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "gxl"; }
  [[nodiscard]] std::string summary() const override {
    return "GXL with weights (options seconds_per_cost, bytes_per_size)";
  }
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
