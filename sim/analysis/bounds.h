// Lower bounds on the makespan.
#pragma once

#include <span>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/fusion/fuser.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Whether a device runs one op at a time under all plans of this queue: streams that run side by
// side do not.
[[nodiscard]] bool RunsOneOpAtATime(const HardwareProfile& hardware, QueueDiscipline queue);

// docs/modelling.md, "Bounds": max(longest path of the plan's ops, no transfers; work of a device,
// where it runs one op at a time). No path passes an op before its release, here as below. The
// fusion of the plan is left aside.
[[nodiscard]] SimTime PlanBound(const OpGraph& graph,
                                const HardwareProfile& hardware,
                                const CostTable& costs,
                                const Plan& plan);

// The time of a kernel, its device, and its release.
struct PlacedKernel {
  SimTime time;
  DeviceId device;
  SimTime release;
};

// The same over the kernels of a plan with fusion; `placed` is by kernel.
[[nodiscard]] SimTime PlanBound(const FusionGraph& graph,
                                const Kernels& kernels,
                                std::span<const PlacedKernel> placed,
                                bool one_op_at_a_time);

// Bytes that all devices together hold at some time, under every plan without fusion and the rules
// `opyard`: all parameters, and the most that one op needs while it runs. One op needs its inputs
// and outputs (each storage once, parameters not again) and its workspace. O(edges).
[[nodiscard]] Bytes MemoryBound(const OpGraph& graph);

}  // namespace opyard::sim
