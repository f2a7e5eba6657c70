// A folder with a tiny graph, a tiny machine and an experiment, and commands that run in this
// process.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "agents/registry.h"
#include "experiments/cli/command_line/command_line.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments::testing {

// The results of a command that has ended.
struct Ended {
  int status = 0;
  std::string out;
  std::string err;
  [[nodiscard]] nlohmann::json Json() const { return nlohmann::json::parse(out); }
};

[[nodiscard]] inline Ended RunCommand(
    const std::vector<std::string>& args,
    const agents::AgentRegistry& registry = agents::ClassicalAgents()) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = RunCommandLine(args, registry, out, err);
  return {.status = status, .out = out.str(), .err = err.str()};
}

// a takes 2 ms and makes 1 MB for b (3 ms) and for c (5 ms). Their type is opaque: nothing fuses.
inline constexpr const char* kTinyGraph =
    R"({"format": "opyard-graph/1", "name": "toy", "origin": "a test",
 "ops": [
  {"name": "a", "type": "MatMul", "outputs": [{"bytes": 1000000}], "flops": 7, "param_bytes": 11,
   "seconds": {"*": 0.002}},
  {"name": "b", "type": "Custom", "inputs": [[0, 0]], "outputs": [{"bytes": 13}],
   "seconds": {"*": 0.003}},
  {"name": "c", "type": "Custom", "inputs": [[0, 0]], "outputs": [{"bytes": 17}],
   "control_inputs": [], "seconds": {"*": 0.005}}]})";

inline constexpr const char* kTinyDevice = R"(schema_version: 1
name: tiny
kind: gpu
memory: 1 GiB
memory_bandwidth: 100 GB/s
peak_flops: {f32: 1 TFLOP/s}
)";

// Two devices; a copy of 1 MB takes 1 ms.
inline constexpr const char* kTwoDevices = R"(schema_version: 1
name: two
devices:
  - {name: gpu, type: tiny, count: 2}
links:
  - {name: cable, between: [gpu0, gpu1], bandwidth: 1 GB/s, latency: 0 us}
)";

inline constexpr const char* kExperiment = R"(schema_version: 1
name: toy
graphs: [toy.graph.json]
hardware: [machines/two.yaml]
budget: {evaluations: 20}
agents: [single_device, random]
seeds: [0, 1]
)";

// The files above in one folder, as experiment.yaml, toy.graph.json, machines/two.yaml,
// devices/tiny.yaml.
class Workplace {
 public:
  Workplace() {
    folder_.Write("toy.graph.json", kTinyGraph);
    folder_.Write("devices/tiny.yaml", kTinyDevice);
    folder_.Write("machines/two.yaml", kTwoDevices);
    folder_.Write("experiment.yaml", kExperiment);
  }

  // The path of `name` in the folder.
  [[nodiscard]] std::string Path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  std::string Write(const std::string& name, const std::string& text) const {
    return folder_.Write(name, text).string();
  }

  // `opyard run` of the experiment, quietly, with further arguments.
  [[nodiscard]] Ended RunExperiment(
      const std::vector<std::string>& more = {},
      const agents::AgentRegistry& registry = agents::ClassicalAgents()) const {
    std::vector<std::string> args = {
        "run", Path("experiment.yaml"), "--out", Path("results"), "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return RunCommand(args, registry);
  }

 private:
  opyard::testing::TemporaryFolder folder_;
};

}  // namespace opyard::experiments::testing
