// `opyard run --dry-run`: what an experiment would run.
#pragma once

#include <filesystem>

#include "experiments/config/config.h"
#include "experiments/console/console.h"
#include "experiments/store/shard.h"

namespace opyard::experiments {

struct DryRunOptions {
  std::filesystem::path folder;  // of the results, which is not touched
  Shard shard;
  bool json = false;
};

// Loads the graphs and machines and makes the problems, then prints how many runs there are and
// what they need. Runs and stores nothing. Returns the exit code. Throws InputError for whatever
// would keep the runs from beginning, but the state of the results folder.
[[nodiscard]] int PrintDryRun(ExperimentConfig config,
                              const DryRunOptions& options,
                              const Console& console);

}  // namespace opyard::experiments
