// A graph on a machine as flat arrays, made once per problem, so that a run touches only numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/cost/cost_table.h"
#include "sim/engine/bit_set.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"

namespace opyard::sim {

// What a transfer between one ordered pair of devices needs.
struct LoweredRoute {
  std::int64_t latency_ps = 0;
  double bandwidth_bytes_per_s = 0.0;
  std::int32_t first_channel = 0;  // of LoweredProblem::route_channels
  std::int32_t num_channels = 0;
  bool exists = false;
};

// One op, by its topological index, which is also its index as a kernel.
struct LoweredOp {
  std::int32_t num_dependencies = 0;  // distinct input tensors + control inputs
  std::int32_t first_output = 0;      // tensors, numbered by producer, then output index
  std::int32_t first_input = 0;       // of LoweredProblem::input_edges
  std::int32_t first_control = 0;     // of LoweredProblem::control_consumers
  std::int32_t colocation = -1;       // label; -1 for none
  std::int64_t start_bytes = 0;       // allocated when it starts: outputs of its own, workspace
  std::int64_t workspace_bytes = 0;
};

struct LoweredTensor {
  std::int32_t first_consumer = 0;  // of LoweredProblem::consumers
  std::int32_t alias_edge = -1;     // Alias::kInput: the edge whose storage it shares
  Alias alias = Alias::kNone;
  bool keep = false;
  bool aliases_params = false;  // through any number of aliases
  std::int64_t bytes = 0;
};

// Plain data, immutable once made. Ranges of element i end where those of element i + 1 begin;
// `ops` and `tensors` have one more element as the end. Edges are (tensor, distinct consumer)
// pairs, in order of the tensors.
struct LoweredProblem {
  std::shared_ptr<const OpGraph> graph;
  std::shared_ptr<const HardwareProfile> hardware;
  std::shared_ptr<const CostTable> costs;

  std::size_t num_ops = 0;
  std::size_t num_tensors = 0;
  std::size_t num_devices = 0;
  std::vector<LoweredOp> ops;
  std::vector<OpId> op_of;                // [num_ops]: the graph's id of kernel k
  std::vector<std::int64_t> duration_ps;  // [num_ops, num_devices]; -1 where not allowed
  std::vector<std::int64_t> param_bytes;  // [num_ops]
  std::vector<std::int32_t> input_edges;  // the edges by which each op reads
  std::vector<std::int32_t> control_consumers;
  std::vector<LoweredTensor> tensors;
  std::vector<std::int32_t> producer;        // [num_tensors]: kernel index
  std::vector<TensorId> tensor_of;           // [num_tensors]: the graph's id
  std::vector<std::int32_t> lowered_tensor;  // inverse of tensor_of
  std::vector<std::int32_t> consumers;       // [num_edges]: kernel index
  std::vector<LoweredRoute> routes;          // [num_devices, num_devices] row-major, src first
  bool has_all_routes = true;
  std::vector<std::int32_t> route_channels;
  std::vector<std::string> channel_names;  // [num_channels]
  std::vector<double> channel_bandwidth;   // [num_channels], bytes per second; 0 for no link
  // Bit sets, one per route. What a route occupies, where channels that always go together count as
  // one; and the pairs of devices whose routes share a channel with it, itself included.
  std::size_t channel_words = 0;
  std::size_t pair_words = 0;
  std::vector<std::uint64_t> route_occupies;  // [num_devices², channel_words]
  std::vector<std::uint64_t> route_excludes;  // [num_devices², pair_words]
  std::vector<std::int64_t> capacity_bytes;   // [num_devices]; the largest int64 when ignored
  std::size_t num_labels = 0;
  std::vector<std::int32_t> edge_uses;  // [num_edges] for OnePer::kEdge: times the tensor is read
  std::size_t num_uses = 0;             // the most transfers that a plan can need

  // The machine's rules as the engine needs them.
  Sharing sharing = Sharing::kSerial;
  OnePer one_per = OnePer::kDestination;
  bool waits_for_memory = false;
  bool trailing_gaps_count = false;
  std::int64_t dispatch_ps = 0;
  std::int64_t gap_after_op_ps = 0;
  std::int64_t gap_after_transfer_ps = 0;

  [[nodiscard]] std::size_t num_edges() const { return consumers.size(); }
  [[nodiscard]] const LoweredRoute& route(std::int32_t src, std::int32_t dst) const {
    return routes[static_cast<std::size_t>(src) * num_devices + static_cast<std::size_t>(dst)];
  }
  [[nodiscard]] ConstBitWords occupies(std::size_t pair) const {
    return {route_occupies.data() + pair * channel_words, channel_words};
  }
  [[nodiscard]] ConstBitWords excludes(std::size_t pair) const {
    return {route_excludes.data() + pair * pair_words, pair_words};
  }
  // Latency + bytes / bandwidth, the latter rounded to picoseconds once.
  [[nodiscard]] std::int64_t TransferTime(const LoweredRoute& route, std::int64_t bytes) const {
    return route.latency_ps +
           SimTime::FromSeconds(static_cast<double>(bytes) / route.bandwidth_bytes_per_s)
               .picoseconds;
  }
};

// Throws UnsupportedError for machine rules that this version does not simulate, InputError if the
// times or bytes of all ops and transfers together do not fit 64 bits.
[[nodiscard]] std::shared_ptr<const LoweredProblem> LowerProblem(
    std::shared_ptr<const OpGraph> graph,
    std::shared_ptr<const HardwareProfile> hardware,
    std::shared_ptr<const CostTable> costs,
    const RouteTable& routes);

}  // namespace opyard::sim
