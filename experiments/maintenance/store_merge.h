// Joins the stores of pieces of an experiment (docs/formats.md, "Pieces").
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct StoreMerge {
  std::size_t num_runs = 0;     // in the joined store, now
  std::size_t num_new = 0;      // of them, from `sources`
  std::size_t num_known = 0;    // runs of `sources` that were there already
  std::size_t num_missing = 0;  // cells of the experiment that it still lacks
  bool was_interrupted = false;
};

// Adds the runs, trainings, bounds, graphs and machines of `sources`, results folders or their
// files, to the store of `folder`, which is made if it is absent. What the folder holds stays; each
// run is added as a whole, so that a merge that was stopped, however, is finished by the same call,
// and the same call again changes nothing.
//
// A folder without a store may hold nothing but `sources`, or folders that hold them.
//
// Before anything is written, throws InputError that names every conflict of any two of the stores.
// Conflicts are other names, problems or budgets, an agent of the same label with other parameters
// or another training, a graph or machine that differs, rewards measured against another T_ref, and
// two different answers of one cell. Also throws if a source cannot be read, or the folder is
// another process's.
[[nodiscard]] StoreMerge MergeStores(const std::vector<std::string>& sources,
                                     const std::filesystem::path& folder,
                                     const InterruptFlag& interrupt);

}  // namespace opyard::experiments
