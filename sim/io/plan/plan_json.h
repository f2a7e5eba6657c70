// Reads and writes plans: *.plan.json (docs/formats.md, "Plan").
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// A plan, and the name of the graph that its file was written for; "" if it does not say. Names are
// for people: a graph may be renamed or re-exported, and its plans still fit.
struct PlanOfGraph {
  Plan plan;
  std::string graph;
};

// Throws InputError listing every error of the file, those of FindPlanErrors included, as
// "FILE#/placement/3: device "gpu9" does not exist; this machine has gpu0, gpu1".
[[nodiscard]] PlanOfGraph ReadNamedPlanFile(const std::filesystem::path& path,
                                            const OpGraph& graph,
                                            const HardwareProfile& hardware);

// The same without the name.
[[nodiscard]] Plan ReadPlanFile(const std::filesystem::path& path,
                                const OpGraph& graph,
                                const HardwareProfile& hardware);

[[nodiscard]] Plan ReadPlanText(std::string_view text,
                                const std::string& place,
                                const OpGraph& graph,
                                const HardwareProfile& hardware);

// One JSON text, without time stamps or paths, that ReadPlanText turns into an equal plan.
[[nodiscard]] std::string WritePlanText(const Plan& plan,
                                        const OpGraph& graph,
                                        const HardwareProfile& hardware);

// Writes it through a temporary file beside it.
void WritePlanFile(const Plan& plan,
                   const OpGraph& graph,
                   const HardwareProfile& hardware,
                   const std::filesystem::path& path);

}  // namespace opyard::sim
