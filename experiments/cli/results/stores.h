// Stores in the subcommands of `opyard results`: their arguments, and what a store holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/maintenance/store_overview.h"
#include "experiments/store/result_store.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Add the arguments that name one store or several, and those that choose runs of a store. The
// variables that they are read into outlive the subcommand.
void AddStore(CLI::App& subcommand, std::string& results);
void AddStores(CLI::App& subcommand, std::vector<std::string>& results);
void AddRunFilter(CLI::App& subcommand, RunFilter& filter);

// A store, as `opyard results list` and `opyard results show` have it.
struct ListedStore {
  std::string results;  // as the user named it
  StoreOverview overview;
  std::size_t num_trainings = 0;
};
[[nodiscard]] ListedStore ListedOf(const std::string& results,
                                   ResultStore& store,
                                   const RunFilter& filter);

// The number of missing runs; "unknown" if the store does not say.
[[nodiscard]] std::string MissingText(const StoreOverview& overview);

}  // namespace opyard::experiments
