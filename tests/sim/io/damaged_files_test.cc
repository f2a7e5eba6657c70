// Readers meet damaged texts: they accept them or throw InputError, and nothing else happens.
#include <gtest/gtest.h>

#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"
#include "tests/sim/io/machine/profile_files.h"
#include "tests/support/damaged_texts.h"
#include "tests/support/temporary_folder.h"

namespace opyard::sim {
namespace {

using testing::CountRefused;
using testing::kDamagedFiles;

constexpr const char* kGraph = R"({"format": "opyard-graph/1", "name": "g", "origin": "o",
 "ops": [
  {"name": "x", "type": "Variable", "param_bytes": 8, "outputs": [{"bytes": 8, "shape": [2], "dtype": "f32", "alias": "params"}]},
  {"name": "mm", "type": "MatMul", "dtype": "f16", "inputs": [[0, 0]], "outputs": [{"bytes": 4, "alias": 0}],
   "flops": 2e3, "bytes_accessed": 12, "weight_bytes": 4, "workspace_bytes": 1, "gemm": {"m": 1, "n": 2, "k": 3}},
  {"name": "act", "type": "Relu", "inputs": [[1, 0], [0, 0]], "outputs": [{"bytes": 4, "keep": true}], "control_inputs": [0],
   "seconds": {"*": 1.0e-5}, "colocation": "g0", "device_kinds": ["gpu"], "phase": "forward", "layer": 0}]})";

constexpr const char* kPlan = R"({"format": "opyard-plan/1", "graph": "g", "queue": "priority",
 "placement": ["gpu0", "gpu0", "gpu1"], "op_priority": [0, 5, 3],
 "transfer_priority": [{"op": 1, "output": 0, "device": "gpu1", "priority": 2}], "fusion_priority": [0, 1, 1]})";

TEST(DamagedFilesTest, GraphsAreAcceptedOrRefusedAsInput) {
  const int num_refused =
      CountRefused(kGraph, [](const std::string& text) { (void)ReadGraphText(text, "f"); });
  EXPECT_GT(num_refused, kDamagedFiles / 2);
  EXPECT_LT(num_refused, kDamagedFiles);
}

TEST(DamagedFilesTest, PlansAreAcceptedOrRefusedAsInput) {
  const auto graph = ReadGraphText(kGraph, "g");
  HardwareProfile machine;
  machine.devices.resize(2);
  machine.devices[0].name = "gpu0";
  machine.devices[1].name = "gpu1";
  const int num_refused = CountRefused(
      kPlan, [&](const std::string& text) { (void)ReadPlanText(text, "f", *graph, machine); });
  EXPECT_GT(num_refused, kDamagedFiles / 2);
  EXPECT_LT(num_refused, kDamagedFiles);
}

TEST(DamagedFilesTest, MachinesAreAcceptedOrRefusedAsInput) {
  const testing::TemporaryFolder folder;
  folder.Write("devices/small.yaml", testing::kSmallDevice);
  const int num_refused = CountRefused(testing::kSmallMachine, [&](const std::string& text) {
    (void)ReadMachineFile(folder.Write("machines/m.yaml", text));
  });
  EXPECT_GT(num_refused, kDamagedFiles / 2);
  EXPECT_LT(num_refused, kDamagedFiles);
}

TEST(DamagedFilesTest, DevicesAreAcceptedOrRefusedAsInput) {
  const testing::TemporaryFolder folder;
  const int num_refused = CountRefused(testing::kSmallDevice, [&](const std::string& text) {
    (void)ReadDeviceFile(folder.Write("devices/small.yaml", text));
  });
  EXPECT_GT(num_refused, kDamagedFiles / 2);
  EXPECT_LT(num_refused, kDamagedFiles);
}

}  // namespace
}  // namespace opyard::sim
