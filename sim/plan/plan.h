// A plan: every decision that the simulator executes, as plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/ids.h"

namespace opyard::sim {

// The device of each op, by OpId: [num_ops].
using OpPlacement = std::vector<DeviceId>;

// The order in which a device runs its ops (docs/modelling.md, section 3: queue, streams).
enum class QueueDiscipline : std::uint8_t {
  kFifo,
  kPriority,
  kProgram,  // one stream per device, by topological index
  kOrder,    // the streams of Plan::order
};

// True if devices run streams, whose ops do not overtake each other.
[[nodiscard]] constexpr bool HasStreams(QueueDiscipline queue) {
  return queue == QueueDiscipline::kProgram || queue == QueueDiscipline::kOrder;
}

// Ops in the order of their start.
using Stream = std::vector<OpId>;

// The priority of one copy of a tensor: of `tensor` to `destination`.
struct TransferPriority {
  TensorId tensor;
  DeviceId destination;
  std::int64_t priority = 0;
  friend bool operator==(const TransferPriority&, const TransferPriority&) = default;
};

// One copy of a tensor: of `tensor` to `destination`.
struct CopyId {
  TensorId tensor;
  DeviceId destination;
  friend auto operator<=>(const CopyId&, const CopyId&) = default;
};

// The order in which the copies that pass a channel begin: none of them before those ahead of it.
// Copies that the order leaves out pass the channel as they come.
struct ChannelOrder {
  std::string channel;  // its name (sim/hardware/channel_map.h)
  std::vector<CopyId> copies;
  friend bool operator==(const ChannelOrder&, const ChannelOrder&) = default;
};

// Op and transfer priorities lie in ±kLargestPriority; higher runs first.
inline constexpr std::int64_t kLargestPriority = std::int64_t{1} << 53;

struct Plan {
  OpPlacement placement;  // [num_ops]
  QueueDiscipline queue = QueueDiscipline::kFifo;
  std::vector<std::int64_t> op_priority;            // [num_ops]; empty: all equal, as with streams
  std::vector<TransferPriority> transfer_priority;  // sparse (docs/modelling.md, "Transfers")
  std::vector<std::int32_t> fusion_priority;        // [num_ops]; empty: no fusion; 0 declines
  // [num_ops]: a number per op, from 0; a kernel holds ops of one. Empty: all are of one.
  std::vector<std::int32_t> fusion_region;
  // [num_devices]: the streams of each, if the queue is kOrder; else empty.
  std::vector<std::vector<Stream>> order;
  std::vector<ChannelOrder> transfer_order;  // each channel once; empty: as transfers come
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Everything on one device, first come first served, nothing fused.
[[nodiscard]] inline Plan SingleDevicePlan(std::size_t num_ops, DeviceId device) {
  return Plan{.placement = OpPlacement(num_ops, device)};
}

}  // namespace opyard::sim
