// Stored plans, written back as files for `opyard simulate`.
#pragma once

#include <filesystem>
#include <string>

#include "experiments/store/result_store.h"

namespace opyard::experiments {

struct ExportedPlan {
  std::filesystem::path plan;
  std::string simulate;  // the command that simulates it: "opyard simulate --graph …"
};

// Writes the plan of `run` into `folder`, and beside it, below graphs/ and machine-SHA256/, the
// store's copy of a graph or machine that is a file, or that is another one today. Throws
// InputError if the run has no plan, or something cannot be written.
[[nodiscard]] ExportedPlan ExportPlan(ResultStore& store,
                                      const StoredRun& run,
                                      const std::filesystem::path& folder);

}  // namespace opyard::experiments
