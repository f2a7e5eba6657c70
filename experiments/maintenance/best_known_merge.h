// Gathers the best plans of experiments into a folder that keeps them (docs/formats.md, "Best known
// plans").
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct BestKnownMerge {
  std::size_t num_runs = 0;    // of problems that some plan of the results completes
  std::size_t num_new = 0;     // problems that the folder did not have
  std::size_t num_better = 0;  // problems with a better plan than the folder's
  std::size_t num_kept = 0;    // problems of the results whose plan of the folder stays
  bool was_interrupted = false;
};

// Adds the best completed plan of each problem of `results`, folders of `opyard run` or their
// files, to `folder`, which is made if it is absent. What the folder holds stays unless a plan is
// better: of equal ones the older stays, of equal new ones the first. A plan goes in once it has
// been simulated again, and then serves the problems that differ in more tasks, too. What was asked
// for a problem adds up, whoever was best; the same run counts once, however often it is added.
// Each of `results` is written before the next is read.
//
// Throws InputError for results that cannot be read, or are of another graph or machine than the
// folder's by that name; for a plan that is not worth what its run recorded; and if another process
// writes into the folder.
[[nodiscard]] BestKnownMerge MergeBestKnown(const std::vector<std::string>& results,
                                            const std::filesystem::path& folder,
                                            const agents::AgentRegistry& registry,
                                            const InterruptFlag& interrupt);

}  // namespace opyard::experiments
