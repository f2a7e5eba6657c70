// Step times that are known to be the least, or the least so far (docs/formats.md, "Optima").
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/statistics/summary.h"
#include "sim/base/units.h"

namespace opyard::experiments {

struct Optimum {
  SimTime makespan;        // above 0
  bool is_proven = false;  // no plan takes less; else the best that is known
};

// A row of a table of optima, as it stands there.
struct OptimumRow {
  std::string graph;
  std::string machine;
  Optimum optimum;
  std::string place;  // "FILE:LINE"
};

// Reads a table, plain or gzip, with the columns graph, machine, makespan_s and proven (true,
// false); others are ignored. Throws InputError listing what is wrong with it, each with its line:
// a column that is missing, a time that is not above 0 or beyond 4.6e6 s, another word.
[[nodiscard]] std::vector<OptimumRow> ReadOptima(const std::filesystem::path& path);

// The optima of an experiment's problems.
struct KnownOptima {
  std::string table;  // as the experiment names it
  std::map<PairKey, Optimum> optima;
  std::size_t num_other_rows = 0;  // of graphs and machines that the experiment leaves out
};

}  // namespace opyard::experiments
