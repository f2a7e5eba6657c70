// Reads task graphs of the Standard Task Graph Set of the Kasahara Laboratory, Waseda University.
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// *.stg: whole numbers, a line each task, "id time num_predecessors predecessor …", after a line
// with the number of tasks, which does not count the dummies that are the first and the last; what
// follows # is a comment. Tasks become ops of type Task, which never fuse, with measured seconds,
// and precedence becomes control edges: nothing is sent. Ops are called by their id. Options:
// seconds_per_cost, by default 1e-3, so that lengths in published tables are milliseconds.
class StgImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "stg"; }
  [[nodiscard]] std::string summary() const override {
    return "task graphs of the Standard Task Graph Set (option seconds_per_cost)";
  }
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
