// The streams of a plan as flat arrays (docs/modelling.md, section 3: streams).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/graph/op_graph.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Ops go by their topological index. Streams are numbered device by device.
struct Streams {
  static constexpr std::int32_t kNone = -1;

  std::vector<std::int32_t> stream_of;  // [num_ops]
  std::vector<std::int32_t> next;       // [num_ops]: the op behind it in its stream, or kNone
  std::vector<std::int32_t> first;      // [num_streams]: kNone for an empty stream
  std::vector<std::int32_t> device_of;  // [num_streams]
};

// Fills `streams`, whose memory is reused. False if the plan's order leaves an op out, has one
// twice or on another device than its placement, or has other devices. REQUIRES: the queue of
// `plan` has streams; its placement has a device below `num_devices` for each op.
[[nodiscard]] bool FindStreams(const OpGraph& graph,
                               const Plan& plan,
                               std::size_t num_devices,
                               Streams& streams);

}  // namespace opyard::sim
