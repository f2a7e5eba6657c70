#include "experiments/matrix/experiment_reading.h"

#include <filesystem>
#include <system_error>

#include "experiments/base/shipped_experiments.h"
#include "experiments/matrix/prepared_experiment.h"
#include "sim/base/data_root.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// References that name nothing here are refused with the names of shipped experiments, paths by who
// reads them.
fs::path FindExperiment(const std::string& reference) {
  std::error_code ignored;
  const fs::path file = reference;
  if (fs::exists(file, ignored)) {
    return file;
  }
  for (const fs::path& shipped :
       {ShippedExperimentsFolder() / (reference + ".yaml"), DataRoot() / reference}) {
    if (fs::is_regular_file(shipped, ignored)) {
      return shipped;
    }
  }
  if (reference != "-" && !file.has_parent_path() && !file.has_extension()) {
    const std::vector<std::string> names = ShippedExperiments();
    throw InputError("experiment " + Quoted(reference) + ": found nothing of this name" +
                     DidYouMean(reference, names) + ", expected a file (.yaml) or one of " +
                     JoinNames(names));
  }
  return file;
}

// The baseline may decide nothing: it is what the others are measured against.
void CheckTasks(const ExperimentConfig& config, const agents::AgentRegistry& registry) {
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < config.agents.size(); ++i) {
    const AgentConfig& agent = config.agents[i];
    const auto problem =
        agents::FindTaskProblem(registry.Get(agent.name).info, config.problem.tasks);
    const std::string& baseline = config.problem.baseline;
    const bool is_baseline = agent.name == baseline || agent.label == baseline;
    if (problem.has_value() && !is_baseline) {
      diagnostics.AddError(config.agent_places[i], *problem);
    }
  }
  diagnostics.ThrowIfAny();
}

}  // namespace

ExperimentConfig ReadWholeExperiment(const std::string& reference,
                                     const std::vector<std::string>& overrides,
                                     const agents::AgentRegistry& registry) {
  Diagnostics diagnostics;
  ExperimentConfig config =
      ReadExperiment(FindExperiment(reference), overrides, registry, diagnostics);
  if (!diagnostics.empty()) {
    CheckReferences(config, diagnostics);
  }
  diagnostics.ThrowIfAny();
  CheckTasks(config, registry);
  return config;
}

}  // namespace opyard::experiments
