#include "experiments/matrix/stored_problem.h"

#include <nlohmann/json.hpp>

#include "experiments/config/config.h"
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
  auto machine = WithMemory(sim::LoadMachine(record.cell.hardware, folder), MemoryOf(record));
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
                       .devices = DevicesOf(record)});
}

fs::path ExperimentFolderOf(ResultStore& store) {
  return fs::path(store.place()).parent_path() / store.Info().experiment_folder;
}

std::vector<std::string> DevicesOf(const RunRecord& record) {
  const nlohmann::json settings = ParseStored(record.settings);
  std::vector<std::string> devices;
  if (settings.is_object() && settings.contains("devices") && settings["devices"].is_array()) {
    for (const nlohmann::json& device : settings["devices"]) {
      devices.push_back(device.is_string() ? device.get<std::string>() : "");
    }
  }
  return devices;
}

std::optional<sim::OnExceed> MemoryOf(const RunRecord& record) {
  const nlohmann::json settings = ParseStored(record.settings);
  const nlohmann::json problem =
      settings.is_object() ? settings.value("problem", nlohmann::json()) : nlohmann::json();
  if (!problem.is_object() || !problem.contains("memory") || !problem["memory"].is_string()) {
    return std::nullopt;
  }
  Diagnostics ignored;  // an unknown word: the machine is another one, and said to be
  return ReadMemory(problem["memory"].get<std::string>(), "", ignored);
}

}  // namespace opyard::experiments
