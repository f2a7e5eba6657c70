// Reads the computation graphs of DOPPLER (Yao et al., ICLR 2026).
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// *.txt: whole numbers with commas between them. Line 1: the number of nodes, inputs included.
// Line 2: the ids of the inputs, which are no ops. Lines 3 and 4: the source and the target of each
// edge. Then a line per op, "compute,transfer[,kind]", in the order of their ids from 0. Ops have
// measured seconds and one output, which every edge from them carries; their type is the kind, or
// Task without one, and they never fuse. Ops are called by their id. Options: seconds_per_cost, by
// default 1e-12, so that a unit of the published simulator is a picosecond, and bytes_per_size, by
// default 1, which takes the same picosecond at 1000 GB/s.
class DopplerImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "doppler"; }
  [[nodiscard]] std::string summary() const override {
    return "computation graphs of DOPPLER (options seconds_per_cost, bytes_per_size)";
  }
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
