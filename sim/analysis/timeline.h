// A simulated step as spans: what ran where and when, what brought its inputs, what rested after
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// A simulated problem and its report, by reference, never stored. `report` is that of `plan` on
// `graph` and `hardware`, whose routes are `routes`.
struct SimulatedStep {
  const OpGraph& graph;
  const HardwareProfile& hardware;
  const RouteTable& routes;
  const Plan& plan;
  const SimReport& report;
};

enum class SpanKind : std::uint8_t { kKernel, kTransfer };

// One span: an index into Timeline::kernels or Timeline::transfers.
struct SpanId {
  SpanKind kind = SpanKind::kKernel;
  std::int32_t index = 0;
  friend bool operator==(const SpanId&, const SpanId&) = default;
};

// Something runs in [start, finish); what it occupies is free again at `rested`.
struct Run {
  SimTime start;
  SimTime finish;
  SimTime rested;
};

// The arrival of an input on the device of the kernel that reads it.
struct Arrival {
  SpanId from;  // the transfer that brought a copy; else the kernel that made it, or the one before
  SimTime time;
  bool is_signal = false;  // a control edge, which takes the latency of its route
};

// One op, or several fused ones. Ranges of kernel i end where those of kernel i + 1 begin.
struct KernelRecord {
  std::int32_t group = 0;          // the least topological index of its ops
  std::int32_t first_op = 0;       // of Timeline::kernel_ops
  std::int32_t first_arrival = 0;  // of Timeline::arrivals
  DeviceId device;
  std::int32_t stream = -1;        // of Timeline::streams; -1 without streams
  SimTime issued;                  // by the host; 0 without dispatch
  std::optional<SimTime> arrived;  // all inputs present; nothing if that never came
  std::optional<SimTime> ready;    // the same, and all of its ops released
  std::optional<Run> run;          // nothing if it never started
  SimTime bandwidth_wait;          // of `run`: what kernels beside it cost it, at its end
};

// One transfer that started. Ranges as above.
struct TransferRecord {
  TensorId tensor;
  DeviceId src;
  std::int32_t producer = 0;           // kernel
  std::int32_t first_destination = 0;  // of Timeline::destinations
  std::int32_t first_channel = 0;      // of Timeline::transfer_channels
  SimTime offered;
  Run run;
};

// One stream of a device.
struct StreamRecord {
  DeviceId device;
  std::vector<std::int32_t> kernels;  // in the order of their start
};

// Plain data. Kernels are in order of their groups and transfers in order of their start; both have
// one more element as the end. A run that failed may hold spans that end after `end`: they were
// under way.
struct Timeline {
  Outcome outcome = Outcome::kCompleted;
  SimTime end;  // the makespan
  std::vector<KernelRecord> kernels;
  std::vector<TransferRecord> transfers;
  std::vector<OpId> kernel_ops;              // in topological order within a kernel
  std::vector<std::int32_t> kernel_of;       // [num_ops]
  std::vector<Arrival> arrivals;             // those until `end`
  std::vector<DeviceId> destinations;        // ascending within a transfer
  std::vector<ChannelId> transfer_channels;  // ascending within a transfer
  std::vector<std::string> channel_names;
  bool channels_are_exclusive = false;  // serial sharing: one transfer at a time on a channel
  std::vector<StreamRecord> streams;    // of a plan that has any, device by device
  // Of a plan that orders the transfers of channels: those that started, by channel, in its order.
  std::vector<std::vector<std::int32_t>> channel_orders;
  bool streams_are_parallel = false;  // each stream runs one kernel at a time; else each device

  [[nodiscard]] std::size_t num_kernels() const { return kernels.size() - 1; }
  [[nodiscard]] std::size_t num_transfers() const { return transfers.size() - 1; }
  [[nodiscard]] std::span<const OpId> ops(std::size_t kernel) const;
  [[nodiscard]] std::span<const Arrival> arrivals_of(std::size_t kernel) const;
  [[nodiscard]] std::span<const DeviceId> destinations_of(std::size_t transfer) const;
  [[nodiscard]] std::span<const ChannelId> channels_of(std::size_t transfer) const;
  // REQUIRES: the span has started.
  [[nodiscard]] const Run& run(SpanId span) const;
};

// O(n log n) in ops and edges.
[[nodiscard]] Timeline BuildTimeline(const SimulatedStep& step);

}  // namespace opyard::sim
