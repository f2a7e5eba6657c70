// A slow and literal simulator of rules placeto (docs/modelling.md, "Rules of other published
// models"), independent of the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

struct PlacetoResult {
  SimTime makespan;
  std::vector<SimTime> starts;     // by OpId
  std::vector<Bytes> peak_memory;  // by DeviceId
  std::int64_t num_transfers = 0;
};

// FIFO queues, one egress bus per device, one transfer per output. Transfers take bytes over the
// bandwidth of the first link; latencies must be 0. The rests are those of `hardware`. Memory never
// runs out.
[[nodiscard]] PlacetoResult SimulatePlaceto(const sim::OpGraph& graph,
                                            const sim::HardwareProfile& hardware,
                                            const sim::CostTable& costs,
                                            const sim::Plan& plan);

}  // namespace opyard::testing
