#include "experiments/maintenance/plan_export.h"

#include <optional>
#include <string_view>
#include <system_error>

#include "experiments/matrix/reproduce.h"
#include "experiments/matrix/stored_problem.h"
#include "experiments/store/fingerprint.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/cost/cost_models.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/machine_yaml_write.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// Fit for a file name.
std::string Plain(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=,[]";
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : text.substr(0, kLongest)) {
    name += kPlain.find(c) == std::string_view::npos ? '_' : c;
  }
  return name;
}

// True if `reference` is a name that means the same everywhere, and still what it was.
template <class Load>
bool IsStill(const std::string& reference, const std::string& sha256, const Load& load) {
  try {
    return reference.find('/') == std::string::npos && Fingerprint(*load()) == sha256;
  } catch (const Error&) {
    return false;
  }
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw InputError(folder.string() + ": cannot make this folder: " + error.message());
  }
}

std::string Write(const fs::path& file, const std::string& text) {
  MakeFolder(file.parent_path());
  sim::WriteTextFile(file, text);
  return file.string();
}

std::string GraphReference(const RunRecord& record,
                           const env::Problem& problem,
                           const fs::path& folder) {
  const std::string& graph = record.cell.graph;
  if (IsStill(graph, record.graph_sha256, [&] { return graphs::LoadGraph(graph); })) {
    return graph;
  }
  return Write(folder / "graphs" / (record.graph_sha256.substr(0, 12) + ".graph.json.gz"),
               sim::WriteGraphText(problem.graph()));
}

// A device file that a machine file of WriteMachineText needs of each type: every value stands
// there, too, and goes before what stands here.
std::string DeviceText(const sim::Device& device) {
  const auto& [dtype, rate] = *device.peak_flops_per_s.begin();
  return "schema_version: 1\nname: " + device.type +
         "\nkind: " + std::string(sim::NameOf(device.kind)) +
         "\nmemory: 1 GiB\nmemory_bandwidth: 1 GB/s\npeak_flops: {" +
         std::string(sim::NameOf(dtype)) + ": " + ToText(rate) + " FLOP/s}\n";
}

std::string WriteMachine(const fs::path& folder,
                         const std::string& sha256,
                         const sim::HardwareProfile& machine) {
  for (const sim::Device& device : machine.devices) {
    static_cast<void>(Write(folder / "devices" / (device.type + ".yaml"), DeviceText(device)));
  }
  std::string file = Write(folder / "machines" / "machine.yaml", sim::WriteMachineText(machine));
  if (Fingerprint(*sim::LoadMachine(file)) != sha256) {
    throw InputError(file + ": is not the machine of the run: this one cannot be written as files");
  }
  return file;
}

std::string MachineReference(const RunRecord& record,
                             const env::Problem& problem,
                             const fs::path& folder) {
  const std::string& machine = record.cell.hardware;
  if (IsStill(machine, record.hardware_sha256, [&] { return sim::LoadMachine(machine); })) {
    return machine;
  }
  return WriteMachine(folder / ("machine-" + record.hardware_sha256.substr(0, 12)),
                      record.hardware_sha256,
                      problem.hardware());
}

}  // namespace

ExportedPlan ExportPlan(ResultStore& store, const StoredRun& run, const fs::path& folder) {
  const CellKey& cell = run.record.cell;
  const std::string plan = store.PlanOf(run.id);
  if (plan.empty()) {
    throw InputError(store.place() + ": run " + std::to_string(run.id) + " holds no plan");
  }
  const auto problem = ProblemOf(store, run.record, ExperimentFolderOf(store));
  ExportedPlan exported{.plan = folder / ("run" + std::to_string(run.id) + "-" + Plain(cell.graph) +
                                          "-" + Plain(cell.hardware) + "-" + Plain(cell.agent) +
                                          "-" + std::to_string(cell.seed) + ".plan.json")};
  static_cast<void>(Write(exported.plan, plan));
  exported.simulate = "opyard simulate --graph " +
                      ShellQuoted(GraphReference(run.record, *problem, folder)) + " --hardware " +
                      ShellQuoted(MachineReference(run.record, *problem, folder)) + " --plan " +
                      ShellQuoted(exported.plan.string());
  if (run.record.cost_model != sim::kDefaultCostModel) {
    exported.simulate += " --cost-model " + ShellQuoted(run.record.cost_model);
  }
  return exported;
}

}  // namespace opyard::experiments
