// The reference simulator's lowering: which copies of tensors a plan needs, and over which
// channels.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

// One copy of a tensor to one device that holds consumers.
struct ReferenceCopy {
  TensorId tensor;
  OpId producer;
  DeviceId src;
  DeviceId dst;
  std::int64_t priority = 0;
  std::int32_t producer_index = 0;  // topological
  std::int32_t output_index = 0;
  std::vector<OpId> consumers;  // on `dst`
  std::set<std::string> channels;
  SimTime duration;
  Bytes bytes;
};

// Position of each op in Kahn's order with the smallest op index first, found by looking for the
// least op whose inputs are all done.
[[nodiscard]] std::vector<std::int32_t> TopologicalIndices(const sim::OpGraph& graph);

// All copies that `plan` needs, one per (tensor, destination).
[[nodiscard]] std::vector<ReferenceCopy> FindCopies(const sim::OpGraph& graph,
                                                    const sim::HardwareProfile& hardware,
                                                    const sim::RouteTable& routes,
                                                    const sim::Plan& plan);

}  // namespace opyard::testing
