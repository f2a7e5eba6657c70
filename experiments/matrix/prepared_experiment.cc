#include "experiments/matrix/prepared_experiment.h"

#include <map>
#include <set>
#include <utility>

#include "experiments/config/error_lines.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/measured_text.h"
#include "experiments/graphs/peaks_text.h"
#include "experiments/machines/machine_loading.h"
#include "experiments/matrix/known_optima.h"
#include "experiments/store/fingerprint.h"
#include "graphs/graph_sources.h"

namespace opyard::experiments {
namespace {

// Something loaded, with its digest.
template <class T>
struct Loaded {
  std::shared_ptr<const T> value;
  std::string sha256;
};

// Loads each reference; what fails becomes problems at its place, so that all wrong references show
// at once.
template <class T, class Load>
std::map<std::string, Loaded<T>> LoadAll(const std::vector<std::string>& references,
                                         const std::vector<std::string>& places,
                                         const Load& load,
                                         Diagnostics& diagnostics) {
  std::map<std::string, Loaded<T>> all;
  for (std::size_t i = 0; i < references.size(); ++i) {
    try {
      std::shared_ptr<const T> value = load(references[i]);
      std::string sha256 = Fingerprint(*value);
      all[references[i]] = {.value = std::move(value), .sha256 = std::move(sha256)};
    } catch (const Error& error) {
      AddLines(places[i], error, diagnostics);
    }
  }
  return all;
}

struct Inputs {
  std::optional<KnownOptima> optima;
  std::map<std::string, Loaded<sim::OpGraph>> graphs;
  std::map<std::string, Loaded<sim::HardwareProfile>> machines;
  std::map<std::string, graphs::ImportSummary> summaries;  // of the graphs
};

Inputs LoadInputs(const ExperimentConfig& config,
                  const NoticeListener& notices,
                  Diagnostics& diagnostics) {
  Inputs inputs;
  inputs.graphs = LoadAll<sim::OpGraph>(
      config.graphs,
      config.graph_places,
      [&](const std::string& graph) {
        graphs::ImportedGraph loaded = graphs::LoadImportedGraph(graph, config.folder);
        inputs.summaries[graph] = std::move(loaded.summary);
        return loaded.graph;
      },
      diagnostics);
  inputs.machines = LoadAll<sim::HardwareProfile>(
      config.hardware,
      config.hardware_places,
      [&](const std::string& machine) { return LoadMachine(machine, notices, config.folder); },
      diagnostics);
  if (!config.optima.empty()) {
    try {
      inputs.optima = ReadKnownOptima(config);
    } catch (const Error& error) {
      AddLines(config.optima_place, error, diagnostics);
    }
  }
  return inputs;
}

// Null, and problems at `place`, if the graph cannot run on the machine.
std::shared_ptr<const env::Problem> MakeProblem(env::ProblemSpec spec,
                                                const std::string& place,
                                                Diagnostics& diagnostics) {
  try {
    return std::make_shared<const env::Problem>(std::move(spec));
  } catch (const Error& error) {
    AddLines(place, error, diagnostics);
    return nullptr;
  }
}

std::vector<PreparedProblem> ProblemsOf(const ExperimentConfig& config,
                                        const Inputs& inputs,
                                        Diagnostics& errors) {
  std::vector<PreparedProblem> problems;
  for (const PairConfig& pair : PairsOf(config)) {
    const auto& [graph, graph_sha256] = inputs.graphs.at(pair.graph);
    const auto& [machine, machine_sha256] = inputs.machines.at(pair.hardware);
    problems.push_back(
        {.graph = pair.graph,
         .hardware = pair.hardware,
         .graph_sha256 = graph_sha256,
         .hardware_sha256 = config.problem.memory.has_value()
                                ? Fingerprint(*env::WithMemory(machine, config.problem.memory))
                                : machine_sha256,
         .problem = MakeProblem(
             {.graph = graph, .hardware = machine, .settings = config.problem}, pair.place, errors),
         .import_summary = inputs.summaries.at(pair.graph)});
  }
  return problems;
}

// Once for each graph, and for each machine with it.
void WarnOfGraphs(const std::vector<PreparedProblem>& problems, const NoticeListener& notices) {
  std::set<std::string> warned;
  for (const PreparedProblem& problem : problems) {
    if (warned.insert(problem.graph).second) {
      WarnOfImport(problem.graph, problem.import_summary, notices);
    }
    WarnOfMeasured(problem.graph, *problem.problem, notices);
    WarnOfPeaks(problem.graph, *problem.problem, notices);
  }
}

}  // namespace

void CheckReferences(const ExperimentConfig& config, Diagnostics& diagnostics) {
  static_cast<void>(LoadInputs(
      config, [](const Notice& /*notice*/) {}, diagnostics));
}

PreparedExperiment PrepareExperiment(ExperimentConfig config, const NoticeListener& notices) {
  Diagnostics errors;
  Inputs inputs = LoadInputs(config, notices, errors);
  errors.ThrowIfAny();
  std::vector<PreparedProblem> problems = ProblemsOf(config, inputs, errors);
  errors.ThrowIfAny();
  WarnOfGraphs(problems, notices);
  return {.config = std::move(config),
          .optima = std::move(inputs.optima),
          .problems = std::move(problems)};
}

}  // namespace opyard::experiments
