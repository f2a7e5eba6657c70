// The answer of `opyard bench agents --json`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/options.h"

namespace opyard::experiments {

// What one search took.
struct AgentSpeed {
  std::string agent;
  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  std::string fusion;      // "framework" or "none"
  std::string decide_per;  // "group" or "op"
  std::int64_t num_evaluations = 0;
  double seconds = 0.0;      // wall time
  double cpu_seconds = 0.0;  // of the processor: what else runs on the machine is not in it
  std::size_t num_threads = 1;
  Options params;
  // Of a search that is measured beside the runs that it asks for (search_overhead.h).
  std::optional<double> runs_seconds;
};
[[nodiscard]] std::string BenchAgentsJson(const std::vector<AgentSpeed>& speeds);

}  // namespace opyard::experiments
