// The answer of `opyard bench sim --json`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opyard::experiments {

// How fast one case ran.
struct SimulatorSpeed {
  std::string kind;  // of the graph: "layered" or "training"
  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  std::string sharing;   // "serial" or "fair"
  std::string channels;  // "pair" or "default"
  std::size_t num_threads = 1;
  double ops_per_second = 0.0;  // over all threads
};
[[nodiscard]] std::string BenchSimJson(const std::vector<SimulatorSpeed>& speeds);

}  // namespace opyard::experiments
