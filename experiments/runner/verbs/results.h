// `opyard results export`.
#pragma once

#include <string>

#include "experiments/runner/console/console.h"

namespace opyard::experiments {

struct ResultsExportOptions {
  std::string results;  // a results folder, or its file
  std::string out;      // folder of the tables
};

// Writes the tables runs, history and training as CSV (docs/formats.md, "Results") into the folder
// `out`, made if it is absent. Throws InputError if a file cannot be read or written.
[[nodiscard]] int ExportResults(const ResultsExportOptions& options, const Console& console);

}  // namespace opyard::experiments
