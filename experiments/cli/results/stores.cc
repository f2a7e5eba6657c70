#include "experiments/cli/results/stores.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/value_checks.h"

namespace opyard::experiments {

void AddStore(CLI::App& subcommand, std::string& results) {
  subcommand.add_option("results", results, "results folder or file")
      ->required()
      ->type_name("RESULTS");
}

void AddStores(CLI::App& subcommand, std::vector<std::string>& results) {
  subcommand.add_option("results", results, "results folders or files")
      ->required()
      ->type_name("RESULTS");
}

void AddRunFilter(CLI::App& subcommand, RunFilter& filter) {
  subcommand
      .add_option("--graph", filter.graph, "runs on this graph alone, as the experiment names it")
      ->type_name("GRAPH");
  subcommand.add_option("--hardware", filter.hardware, "runs on this machine alone")
      ->type_name("MACHINE");
  subcommand.add_option("--agent", filter.agent, "runs of this agent alone")->type_name("LABEL");
  subcommand.add_option("--seed", filter.seed, "runs with this seed alone")
      ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max()));
}

ListedStore ListedOf(const std::string& results, ResultStore& store, const RunFilter& filter) {
  return {.results = results,
          .overview = OverviewOf(store, filter),
          .num_trainings = store.Trainings().size()};
}

std::string MissingText(const StoreOverview& overview) {
  return overview.missing.has_value() ? std::to_string(overview.missing->size()) : "unknown";
}

}  // namespace opyard::experiments
