#include "experiments/cli/results/list.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/results/results_json.h"
#include "experiments/cli/results/stores.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/maintenance/store_overview.h"
#include "experiments/store/result_store.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"

namespace opyard::experiments {
namespace {

struct ResultsListOptions {
  std::vector<std::string> results;  // folders or files
  bool json = false;
};

// A line for each store: how many runs are done, failed and missing.
[[nodiscard]] int ListResults(const ResultsListOptions& options, const Console& console);

}  // namespace

void AddResultsListArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "list",
                     .summary = "how many runs stores hold, and how many are missing",
                     .examples = "  opyard results list results/mine results/other"});
  const auto options = std::make_shared<ResultsListOptions>();
  AddStores(subcommand, options->results);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ListResults);
}

namespace {

int ListResults(const ResultsListOptions& options, const Console& console) {
  std::vector<ListedStore> stores;
  TextTable table({{.title = "results"},
                   {.title = "experiment"},
                   {.title = "piece"},
                   {.title = "done", .align = Align::kRight},
                   {.title = "failed", .align = Align::kRight},
                   {.title = "missing", .align = Align::kRight},
                   {.title = "size", .align = Align::kRight}});
  for (const std::string& results : options.results) {
    ResultStore store = ResultStore::OpenToRead(results);
    const StoreOverview& overview = stores.emplace_back(ListedOf(results, store, {})).overview;
    table.AddRow({OneLine(results),
                  OneLine(overview.info.experiment),
                  overview.info.shard.empty() ? "all" : overview.info.shard,
                  std::to_string(overview.runs.size() - overview.num_failed),
                  std::to_string(overview.num_failed),
                  MissingText(overview),
                  BytesText(Bytes{static_cast<std::int64_t>(overview.bytes)})});
  }
  console.out << (options.json ? ResultsListJson(stores) + "\n" : table.Text());
  return kSuccess;
}

}  // namespace
}  // namespace opyard::experiments
