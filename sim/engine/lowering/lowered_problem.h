// A graph on a machine as flat arrays, made once per problem, so that a run touches only numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/base/ids.h"
#include "sim/cost/cost_table.h"
#include "sim/engine/lowering/kernel_graph.h"
#include "sim/engine/lowering/memory_pools.h"
#include "sim/engine/rules.h"
#include "sim/fusion/fused_cost.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"

namespace opyard::sim {

// The route of transfers between an ordered pair of devices: its time and its channels.
struct LoweredRoute {
  std::int64_t latency_ps = 0;
  double bandwidth_bytes_per_s = 0.0;
  std::size_t first_moving = 0;    // of LoweredProblem::moving_ps; the same for equal bandwidths
  std::int32_t first_channel = 0;  // of LoweredProblem::route_channels
  std::int32_t num_channels = 0;
  bool exists = false;
  bool is_apart = true;  // no other pair of devices shares a channel with it
};

// The time that a copy takes from the ops of a device that sends or receives it.
struct CopyOverhead {
  double fixed_s = 0.0;
  double s_per_byte = 0.0;
  [[nodiscard]] std::int64_t TimeOf(std::int64_t bytes) const {
    return SimTime::FromSeconds(fixed_s + s_per_byte * static_cast<double>(bytes)).picoseconds;
  }
};

// Plain data, immutable once made. Ops are numbered by their topological index, which is also their
// index as kernels of a plan without fusion.
struct LoweredProblem {
  std::shared_ptr<const OpGraph> graph;
  std::shared_ptr<const HardwareProfile> hardware;
  std::shared_ptr<const CostTable> costs;

  std::uint64_t serial = 0;  // from 1; no other problem of this process has it
  std::size_t num_ops = 0;
  std::size_t num_devices = 0;
  KernelGraph unfused;  // one kernel per op
  FusionGraph fusion;   // which ops may share a kernel
  std::shared_ptr<const FusedCost> fused_cost;
  std::vector<OpId> op_of;  // [num_ops]
  // Devices on which every op takes the same time share a column.
  std::size_t num_columns = 0;
  std::vector<std::size_t> column_of_device;  // [num_devices]
  std::vector<std::int64_t> duration_ps;      // [num_ops, num_columns]; -1 where not allowed
  // [num_ops]: the longest path after each op, every op in the least time over its devices.
  std::vector<std::int64_t> tail_ps;
  double latest_ps = 0.0;                     // no instant of a run lies beyond
  std::vector<std::int64_t> param_bytes;      // [num_ops]
  std::vector<std::int32_t> ops_with_params;  // those with any, ascending
  std::vector<std::int32_t> colocation;       // [num_ops]: label, -1 for none; empty without labels
  std::vector<TensorId> tensor_of;            // [num_tensors]: the graph's id
  std::vector<std::int32_t> lowered_tensor;   // inverse of tensor_of
  std::size_t num_labels = 0;
  std::vector<std::int32_t> ops_with_label;  // [num_labels]: how many

  std::vector<LoweredRoute> routes;  // [num_devices, num_devices] row-major, src first
  std::vector<std::int32_t> route_channels;
  std::vector<std::string> channel_names;  // [num_channels]
  std::vector<double> channel_bandwidth;   // [num_channels], bytes per second; 0 for no link
  // Bit sets of pairs of devices, one per route: the pairs that share a channel with it, itself
  // included, and so cannot transfer at the same time.
  std::size_t pair_words = 0;
  std::vector<std::uint64_t> route_excludes;  // [num_devices², pair_words]
  // Under fair sharing, per channel, the pairs whose route takes it.
  std::vector<std::uint64_t> pairs_through;  // [num_channels, pair_words]
  // [bandwidth classes, num_tensors]: bytes / bandwidth; empty where classes are many.
  std::vector<std::int64_t> moving_ps;
  std::vector<CopyOverhead> copy_overheads;  // [num_devices]; empty where no device has any
  LoweredPools pools;                        // empty where each device has a memory of its own
  std::vector<std::int64_t> capacity_bytes;  // [num_devices]; the largest int64 when ignored

  EngineRules rules;
  FeatureSet features;           // of rules and problem; those of plans come on top
  bool scans_transfers = false;  // one by one, where heads of pairs do not suffice
  bool starts_at_once = false;   // transfers, in the build without options
  // Under rules placeto, by name: edges by those of producer and consumer, and devices.
  std::vector<std::int32_t> edge_of_rank;
  std::vector<std::int32_t> rank_of_edge;
  std::vector<std::int32_t> device_of_rank;

  // The duration of an op on a device, in picoseconds; -1 where it is not allowed.
  [[nodiscard]] std::int64_t Duration(std::size_t op, std::size_t device) const {
    return duration_ps[op * num_columns + column_of_device[device]];
  }
  [[nodiscard]] const LoweredRoute& route(std::int32_t src, std::int32_t dst) const {
    return routes[At(src) * num_devices + At(dst)];
  }
  [[nodiscard]] std::span<const std::uint64_t> excludes(std::size_t pair) const {
    return {route_excludes.data() + pair * pair_words, pair_words};
  }
  // Latency + bytes / bandwidth, the latter rounded to picoseconds once. `tensor` as in `unfused`.
  [[nodiscard]] std::int64_t TransferTime(const LoweredRoute& route, std::int32_t tensor) const {
    if (!moving_ps.empty()) [[likely]] {
      return route.latency_ps + moving_ps[route.first_moving + At(tensor)];
    }
    return route.latency_ps +
           MovingTime(unfused.tensors[At(tensor)].bytes, route.bandwidth_bytes_per_s);
  }
  [[nodiscard]] static std::int64_t MovingTime(std::int64_t bytes, double bandwidth_bytes_per_s) {
    return SimTime::FromSeconds(static_cast<double>(bytes) / bandwidth_bytes_per_s).picoseconds;
  }
};

// Throws UnsupportedError for machine rules that this version does not simulate, or not beside the
// releases of the graph's ops, InputError if the times or bytes of all ops and transfers together
// do not fit 64 bits. `fusion_saving` is the share that kernels get of what fusing saves
// (fused_cost.h).
[[nodiscard]] std::shared_ptr<const LoweredProblem> LowerProblem(
    std::shared_ptr<const OpGraph> graph,
    std::shared_ptr<const HardwareProfile> hardware,
    std::shared_ptr<const CostTable> costs,
    const RouteTable& routes,
    double fusion_saving = 1.0);

}  // namespace opyard::sim
