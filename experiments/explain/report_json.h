// The full report of a simulation as the JSON object of `opyard simulate --json`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "experiments/explain/memory_needs.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

// [{"device", "needed_bytes", "parameter_bytes", "capacity_bytes"}]
[[nodiscard]] nlohmann::ordered_json NeedsJson(const std::vector<MemoryNeed>& needs);

enum class OpDetail : std::uint8_t { kWithoutOps, kWithOps };

// docs/formats.md, "Answers", lists the keys; times in seconds that read back exactly. With
// kWithOps, "ops" holds every op in op order; one that never ran has null for start_s and finish_s.
// "group" is the op's kernel by the least topological index of its ops: without fusion, that of the
// op. `needs` is what the plan lacks where it ran out of memory (memory_needs.h).
[[nodiscard]] nlohmann::ordered_json ReportObject(const sim::SimReport& report,
                                                  const sim::Plan& plan,
                                                  const sim::OpGraph& graph,
                                                  const sim::HardwareProfile& hardware,
                                                  OpDetail detail,
                                                  const std::vector<MemoryNeed>& needs);

// The same as one line.
[[nodiscard]] std::string ReportJson(const sim::SimReport& report,
                                     const sim::Plan& plan,
                                     const sim::OpGraph& graph,
                                     const sim::HardwareProfile& hardware,
                                     OpDetail detail,
                                     const std::vector<MemoryNeed>& needs);

}  // namespace opyard::experiments
