// A plan: every decision that the simulator executes, as plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ids.h"

namespace opyard::sim {

// The device of each op, by OpId: [num_ops].
using OpPlacement = std::vector<DeviceId>;

enum class QueueDiscipline : std::uint8_t { kFifo, kPriority };

// The priority of one copy of a tensor: of `tensor` to `destination`.
struct TransferPriority {
  TensorId tensor;
  DeviceId destination;
  std::int64_t priority = 0;
  friend bool operator==(const TransferPriority&, const TransferPriority&) = default;
};

// Op and transfer priorities lie in ±kLargestPriority; higher runs first.
inline constexpr std::int64_t kLargestPriority = std::int64_t{1} << 53;

struct Plan {
  OpPlacement placement;  // [num_ops]
  QueueDiscipline queue = QueueDiscipline::kFifo;
  std::vector<std::int64_t> op_priority;            // [num_ops]; empty: all equal
  std::vector<TransferPriority> transfer_priority;  // sparse (docs/modelling.md, "Transfers")
  std::vector<std::int32_t> fusion_priority;        // [num_ops]; empty: no fusion; 0 declines
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Everything on one device, first come first served, nothing fused.
[[nodiscard]] inline Plan SingleDevicePlan(std::size_t num_ops, DeviceId device) {
  return Plan{.placement = OpPlacement(num_ops, device)};
}

}  // namespace opyard::sim
