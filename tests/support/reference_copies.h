// The reference simulator's lowering: which transfers of tensors a plan needs, and over which
// channels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

class ReferenceKernels;

// A consuming edge: an op and the position among its inputs.
using ReferenceEdge = std::pair<OpId, std::int32_t>;

// One transfer of a tensor. It leaves one copy on each of its destinations: one for all consumers
// there, or, under `one_per: edge`, one for that edge alone.
struct ReferenceCopy {
  std::size_t id = 0;  // position among all copies
  TensorId tensor;
  OpId producer;
  DeviceId src;
  DeviceId dst;                       // the first of `destinations`
  std::set<DeviceId> destinations;    // several only under `one_per: output`
  std::optional<ReferenceEdge> edge;  // under `one_per: edge`
  std::int64_t priority = 0;
  std::int32_t producer_index = 0;  // topological
  std::int32_t output_index = 0;
  std::int32_t consumer_index = 0;  // topological, of `edge`
  std::vector<OpId> consumers;      // on the destinations, each once
  std::set<std::string> channels;   // what a serial transfer occupies; the resources of a fair one
  SimTime latency;                  // part of `duration`
  SimTime duration;                 // without contention
  Bytes bytes;
  // Those that stand ahead of it in the orders of channels: tensor and destination.
  std::set<std::pair<TensorId, DeviceId>> behind;
};

// The channels that a transfer over `route` occupies under serial sharing, or shares under fair.
[[nodiscard]] std::set<std::string> ChannelsOf(const sim::HardwareProfile& hardware,
                                               const sim::Route& route,
                                               DeviceId src,
                                               DeviceId dst);

// Position of each op in Kahn's order with the smallest op index first, found by looking for the
// least op whose inputs are all done.
[[nodiscard]] std::vector<std::int32_t> TopologicalIndices(const sim::OpGraph& graph);

// All copies that `plan` needs: one per (tensor, destination), per tensor or per edge, as the
// machine says.
[[nodiscard]] std::vector<ReferenceCopy> FindCopies(const sim::OpGraph& graph,
                                                    const sim::HardwareProfile& hardware,
                                                    const sim::RouteTable& routes,
                                                    const sim::Plan& plan,
                                                    const ReferenceKernels& kernels);

// The bandwidth, in bytes per second, of every resource that fair transfers share: each link
// direction by the name of its channel, a half-duplex link once.
[[nodiscard]] std::map<std::string, double> FairCapacities(const sim::HardwareProfile& hardware);

}  // namespace opyard::testing
