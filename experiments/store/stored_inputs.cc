#include "experiments/store/stored_inputs.h"

#include "experiments/store/fingerprint.h"
#include "experiments/store/sha256.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/machine_yaml_write.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

// The largest texts that their readers take.
constexpr std::size_t kLargestGraph = std::size_t{512} << 20;
constexpr std::size_t kLargestMachine = std::size_t{16} << 20;

[[noreturn]] void RefuseOther(const ResultStore& store, const char* what) {
  throw InputError(store.place() + ": damaged: the stored " + what +
                   " is not the one of the run (another SHA-256)");
}

}  // namespace

void KeepGraph(ResultStore& store, const std::string& sha256, const sim::OpGraph& graph) {
  if (!store.HasInput(sha256)) {
    store.AddInput(sha256, "graph", sim::WriteGraphText(graph, sim::ModulesInText::kLeftOut));
  }
}

void KeepMachine(ResultStore& store,
                 const std::string& sha256,
                 const sim::HardwareProfile& machine) {
  if (!store.HasInput(sha256)) {
    store.AddInput(sha256, "machine", sim::WriteMachineText(machine));
  }
}

std::shared_ptr<const sim::OpGraph> FindGraph(ResultStore& store, const std::string& sha256) {
  const std::optional<std::string> text = store.InputOf(sha256, kLargestGraph);
  if (!text.has_value()) {
    return nullptr;
  }
  if (Sha256(*text) != sha256) {
    RefuseOther(store, "graph");
  }
  return sim::ReadGraphText(*text, store.place() + ": stored graph");
}

std::shared_ptr<const sim::HardwareProfile> FindMachine(ResultStore& store,
                                                        const std::string& sha256) {
  const std::optional<std::string> text = store.InputOf(sha256, kLargestMachine);
  if (!text.has_value()) {
    return nullptr;
  }
  auto machine = sim::ReadMachineText(*text, store.place() + ": stored machine");
  if (Fingerprint(*machine) != sha256) {
    RefuseOther(store, "machine");
  }
  return machine;
}

}  // namespace opyard::experiments
