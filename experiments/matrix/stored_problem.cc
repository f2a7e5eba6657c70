#include "experiments/matrix/stored_problem.h"

#include <nlohmann/json.hpp>

#include "env/problem_fields.h"
#include "experiments/config/settings_json.h"
#include "experiments/matrix/differences.h"
#include "experiments/store/fingerprint.h"
#include "experiments/store/stored_inputs.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const sim::OpGraph> GraphOf(ResultStore& store,
                                            const RunRecord& record,
                                            const fs::path& folder) {
  if (auto graph = FindGraph(store, record.graph_sha256)) {
    return graph;
  }
  auto graph = graphs::LoadGraph(record.cell.graph, folder);
  if (Fingerprint(*graph) != record.graph_sha256) {
    throw InputError("the graph has changed since the run");
  }
  return graph;
}

std::shared_ptr<const sim::HardwareProfile> MachineOf(ResultStore& store,
                                                      const RunRecord& record,
                                                      const fs::path& folder) {
  if (auto machine = FindMachine(store, record.hardware_sha256)) {
    return machine;
  }
  auto machine = env::WithMemory(sim::LoadMachine(record.cell.hardware, folder),
                                 ReplaySettings(record).memory);
  if (Fingerprint(*machine) != record.hardware_sha256) {
    throw InputError("the machine has changed since the run");
  }
  return machine;
}

}  // namespace

std::shared_ptr<const env::Problem> ProblemOf(ResultStore& store,
                                              const RunRecord& record,
                                              const fs::path& folder) {
  return std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = GraphOf(store, record, folder),
                       .hardware = MachineOf(store, record, folder),
                       .settings = ReplaySettings(record)});
}

fs::path ExperimentFolderOf(ResultStore& store) {
  return fs::path(store.place()).parent_path() / store.Info().experiment_folder;
}

env::ProblemSettings ReplaySettings(const RunRecord& record) {
  env::ProblemSettings settings;
  Diagnostics diagnostics;
  for (const char* name : {"memory", "devices", "cost_model"}) {
    if (const auto value = StoredSetting(record, name)) {
      env::FieldOf(name).read(*value, name, settings, diagnostics);
    }
  }
  diagnostics.ThrowIfAny();
  return settings;
}

std::optional<env::SettingValue> StoredSetting(const RunRecord& record, std::string_view field) {
  return FindSetting(ParseStored(record.settings), field);
}

}  // namespace opyard::experiments
