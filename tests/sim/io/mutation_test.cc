// Readers meet damaged texts: they accept them or throw InputError, and nothing else happens.
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "sim/io/graph_json.h"
#include "sim/io/plan_json.h"

namespace opyard::sim {
namespace {

constexpr int kMutations = 2000;

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

std::size_t Position(const std::string& text, Rng& rng) {
  return static_cast<std::size_t>(rng.Below(text.size()));
}

// One edit: another byte, a missing range, a repeated range, or a character that JSON gives a
// meaning.
void Mutate(std::string& text, Rng& rng) {
  constexpr std::string_view kTelling = "{}[]\",:-+.eE0123456789tfn\\ \n";
  const std::size_t at = Position(text, rng);
  const auto length = static_cast<std::size_t>(rng.Below(20));
  switch (rng.Below(4)) {
    case 0:
      text[at] = static_cast<char>(rng.Below(256));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(Position(text, rng), text.substr(at, length));
      break;
    default:
      text[at] = kTelling[rng.Below(kTelling.size())];
  }
}

// Reads kMutations texts of one to four edits each; returns how many were refused.
template <class Read>
int CountRefused(const std::string& original, const Read& read) {
  int num_refused = 0;
  Rng rng(7);
  for (int i = 0; i < kMutations; ++i) {
    std::string text = original;
    for (std::uint64_t edit = rng.Below(4) + 1; edit > 0 && !text.empty(); --edit) {
      Mutate(text, rng);
    }
    try {
      read(text);
    } catch (const InputError&) {
      ++num_refused;
    }
  }
  return num_refused;
}

TEST(MutationTest, DamagedGraphsAreAcceptedOrRefusedAsInput) {
  const int num_refused =
      CountRefused(kGraph, [](const std::string& text) { (void)ReadGraphText(text, "f"); });
  EXPECT_GT(num_refused, kMutations / 2);
  EXPECT_LT(num_refused, kMutations);
}

TEST(MutationTest, DamagedPlansAreAcceptedOrRefusedAsInput) {
  const auto graph = ReadGraphText(kGraph, "g");
  HardwareProfile machine;
  machine.devices.resize(2);
  machine.devices[0].name = "gpu0";
  machine.devices[1].name = "gpu1";
  const int num_refused = CountRefused(
      kPlan, [&](const std::string& text) { (void)ReadPlanText(text, "f", *graph, machine); });
  EXPECT_GT(num_refused, kMutations / 2);
  EXPECT_LT(num_refused, kMutations);
}

}  // namespace
}  // namespace opyard::sim
