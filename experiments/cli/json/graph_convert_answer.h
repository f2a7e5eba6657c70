// The answer of `opyard graph convert --json`.
#pragma once

#include <string>

#include "graphs/importers/common/importer.h"

namespace opyard::experiments {

// What was read, and what its importer did with it.
[[nodiscard]] std::string GraphConvertJson(const graphs::ImportedGraph& imported);

}  // namespace opyard::experiments
