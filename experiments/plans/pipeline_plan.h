// Schedules of pipelines as plans.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/plans/pipeline_schedule.h"
#include "graphs/microbatches/pipeline_units.h"
#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// The devices of the ranks: those of `names` in order, or without names the accelerators of the
// machine, as many as there are ranks. Throws InputError, at "`option`", for names that the machine
// lacks or that stand there twice, another number of names than ranks, and too few accelerators.
[[nodiscard]] std::vector<DeviceId> DevicesOfRanks(const sim::HardwareProfile& hardware,
                                                   const std::vector<std::string>& names,
                                                   std::size_t num_ranks,
                                                   const std::string& option);

// The names of the files that messages begin with.
struct PipelineFiles {
  std::string schedule;
  std::string graph;
};

// The plan, queue kOrder, in which device `devices[r]` runs the actions of rank r in one stream.
// Before the first action stand the parameters of its stages, behind the last one their update,
// both by topological index. Within an action ops go by topological index, but for a whole backward
// pass (B): there what other stages wait for, and what depends on it, comes last, since a framework
// hands gradients on when the pass has returned. Transfers are the simulator's: communications
// carry no ops.
//
// Throws InputError with all problems, each with the place of its action: stages or micro-batches
// that the graph lacks; units of the graph without an action; and, where the order can never go on,
// the cycle of its actions. REQUIRES: `units` is of `graph` and has the stages of `schedule`;
// `devices` has one device per rank. O((actions + ops) log + edges).
[[nodiscard]] sim::Plan PlanOfPipeline(const PipelineSchedule& schedule,
                                       const sim::OpGraph& graph,
                                       const graphs::PipelineUnits& units,
                                       const sim::HardwareProfile& hardware,
                                       const std::vector<DeviceId>& devices,
                                       const PipelineFiles& files);

}  // namespace opyard::experiments
