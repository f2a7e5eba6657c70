// `opyard graph convert`.
#pragma once

#include <string>
#include <vector>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphConvertOptions {
  std::string graph;                 // a file of any format that is imported, or a graph reference
  std::string out;                   // its suffix says what is written
  std::string from;                  // importer; "" finds it
  std::vector<std::string> options;  // of the importer: NAME=VALUE
  std::string dim;                   // the option "dim"; empty for none
  bool json = false;
};

// Reads a graph, writes it as `out` says, prints what was read, folded away and not known.
[[nodiscard]] int ConvertGraph(const GraphConvertOptions& options, const Console& console);

// The formats that can be read, one line each.
[[nodiscard]] std::string ImporterHelp();

}  // namespace opyard::experiments
