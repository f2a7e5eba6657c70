#include "experiments/cli/subcommands/results_merge.h"

#include "experiments/cli/json/results_answer.h"
#include "experiments/maintenance/store_merge.h"

namespace opyard::experiments {

int MergeResults(const ResultsMergeOptions& options, const Console& console) {
  const StoreMerge merge = MergeStores(options.results, options.out, console.interrupt);
  if (merge.was_interrupted) {
    console.err << "interrupted: " << merge.num_new
                << " runs were added and kept; the same command goes on\n";
    return kInterrupted;
  }
  if (options.json) {
    console.out << ResultsMergeJson(options.out, merge) << '\n';
    return kSuccess;
  }
  console.out << options.out << ": " << merge.num_runs << " runs, " << merge.num_new << " new, "
              << merge.num_known << " known before; " << merge.num_missing
              << " of the experiment are missing\n";
  return kSuccess;
}

}  // namespace opyard::experiments
