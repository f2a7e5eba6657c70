#include "experiments/cli/subcommands/best_known.h"

#include <filesystem>
#include <optional>

#include "experiments/cli/json/best_known_answer.h"
#include "experiments/maintenance/best_known_merge.h"
#include "experiments/statistics/best_known.h"
#include "experiments/statistics/head_room.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

fs::path TableOf(const BestKnownOptions& options) {
  if (!options.out.empty()) {
    return fs::path(options.out) / kBestKnownFile;
  }
  if (options.results.size() > 1) {
    throw InputError("found " + std::to_string(options.results.size()) +
                     " results, expected one folder of best known plans, or --out DIR for the best "
                     "of all of them");
  }
  const std::string& path = options.results.front();
  const std::optional<fs::path> table = FindBestKnown(path);
  if (!table.has_value()) {
    throw InputError(path + ": found no " + kBestKnownFile +
                     ", expected a folder that --out has made of the results of `opyard run`");
  }
  return *table;
}

std::string SummaryOf(const BestKnownMerge& merge, const fs::path& table) {
  return table.string() + ": " + std::to_string(merge.num_runs) + " runs gave " +
         std::to_string(merge.num_new) + " new and " + std::to_string(merge.num_better) +
         " better plans, " + std::to_string(merge.num_kept) + " stay as they were\n";
}

}  // namespace

int ShowBestKnown(const BestKnownOptions& options, const Console& console) {
  const fs::path table = TableOf(options);
  std::string summary;
  if (!options.out.empty()) {
    const BestKnownMerge merge =
        MergeBestKnown(options.results, options.out, console.agents, console.interrupt);
    summary = "\n" + SummaryOf(merge, table);
    if (merge.was_interrupted) {
      console.err << "interrupted after " << merge.num_runs << " runs\n";
      return kInterrupted;
    }
  }
  const std::vector<BestKnownPlan> plans = ReadBestKnown(table);
  if (options.json) {
    console.out << BestKnownJson(plans) << '\n';
  } else {
    console.out << BestKnownText(plans) << summary;
  }
  return kSuccess;
}

}  // namespace opyard::experiments
