// `opyard results export`.
#pragma once

#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct ResultsExportOptions {
  std::string results;         // a results folder, or its file
  std::string out;             // folder of the tables
  std::string format = "csv";  // or parquet, which the Python command writes
};

// Writes the tables as CSV (docs/formats.md, "Results") into the folder `out`, made if it is
// absent. Throws InputError if a file cannot be read or written, and for Parquet.
[[nodiscard]] int ExportResults(const ResultsExportOptions& options, const Console& console);

}  // namespace opyard::experiments
