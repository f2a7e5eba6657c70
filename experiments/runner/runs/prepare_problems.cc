#include <map>
#include <system_error>

#include "experiments/runner/runs/run_matrix.h"
#include "experiments/runner/store/fingerprint.h"
#include "graphs/graph_source.h"
#include "sim/io/profile_yaml.h"

namespace opyard::experiments {
namespace {

// Something loaded, with its digest.
template <class T>
struct Loaded {
  std::shared_ptr<const T> value;
  std::string sha256;
};

// Loads each reference; what fails is gathered, so that all wrong references show at once.
template <class T, class Load>
std::map<std::string, Loaded<T>> LoadAll(const std::vector<std::string>& references,
                                         const Load& load,
                                         std::string& errors) {
  std::map<std::string, Loaded<T>> all;
  for (const std::string& reference : references) {
    try {
      std::shared_ptr<const T> value = load(reference);
      std::string sha256 = Fingerprint(*value);
      all[reference] = {.value = std::move(value), .sha256 = std::move(sha256)};
    } catch (const Error& error) {
      errors += (errors.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  return all;
}

}  // namespace

std::vector<PreparedProblem> PrepareProblems(const ExperimentConfig& config) {
  std::string errors;
  std::map<std::string, graphs::ImportSummary> summaries;
  const auto graphs = LoadAll<sim::OpGraph>(
      config.graphs,
      [&](const std::string& graph) {
        graphs::ImportedGraph loaded = graphs::LoadImportedGraph(graph, config.folder);
        summaries[graph] = std::move(loaded.summary);
        return loaded.graph;
      },
      errors);
  const auto machines = LoadAll<sim::HardwareProfile>(
      config.hardware,
      [&](const std::string& machine) { return sim::LoadMachine(machine, config.folder); },
      errors);
  if (!errors.empty()) {
    throw InputError(errors);
  }
  std::vector<PreparedProblem> problems;
  for (const std::string& graph : config.graphs) {
    for (const std::string& machine : config.hardware) {
      const auto& [graph_value, graph_sha256] = graphs.at(graph);
      const auto& [machine_value, machine_sha256] = machines.at(machine);
      problems.push_back({.graph = graph,
                          .hardware = machine,
                          .graph_sha256 = graph_sha256,
                          .hardware_sha256 = machine_sha256,
                          .problem = std::make_shared<const env::Problem>(
                              SpecOf(config.problem, graph_value, machine_value)),
                          .import_summary = summaries.at(graph)});
    }
  }
  return problems;
}

}  // namespace opyard::experiments
