#include "experiments/cli/results/merge.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/results/stores.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/maintenance/store_merge.h"

namespace opyard::experiments {
namespace {

struct ResultsMergeOptions {
  std::vector<std::string> results;  // folders or files
  std::string out;                   // folder of the joined store
  bool json = false;
};

// Joins the stores and says what came of it. kInterrupted if it was stopped: the same call goes on.
[[nodiscard]] int MergeResults(const ResultsMergeOptions& options, const Console& console);

// The answer with --json.
[[nodiscard]] std::string ResultsMergeJson(const std::string& folder, const StoreMerge& merge);

}  // namespace

void AddResultsMergeArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "merge",
                     .summary = "join the stores of pieces of an experiment",
                     .examples = "  opyard results merge results/piece1 results/piece2 --out "
                                 "results/mine"});
  const auto options = std::make_shared<ResultsMergeOptions>();
  AddStores(subcommand, options->results);
  subcommand.add_option("--out", options->out, "folder of the joined store")
      ->required()
      ->type_name("DIR");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &MergeResults);
}

namespace {

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

std::string ResultsMergeJson(const std::string& folder, const StoreMerge& merge) {
  return nlohmann::ordered_json{{"results", folder},
                                {"runs", merge.num_runs},
                                {"new", merge.num_new},
                                {"known", merge.num_known},
                                {"missing", merge.num_missing}}
      .dump();
}

}  // namespace
}  // namespace opyard::experiments
