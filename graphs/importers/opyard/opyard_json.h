// Reads our own format, so that every graph converts.
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// *.graph.json: nothing is folded, nothing is unknown. Takes no options.
class OpyardJsonImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "opyard"; }
  [[nodiscard]] std::string summary() const override { return "our own graph JSON"; }
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
