// One decision of a plan, decided otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// All ops of one co-location group (or one op without a label) go to another device.
struct DeviceChange {
  std::vector<OpId> ops;  // by ascending id
  DeviceId from;
  DeviceId to;
};

// One op gets a priority above, or below, all others.
struct PriorityChange {
  OpId op;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// A copy to which the plan gives a priority gets one above, or below, all others.
struct TransferChange {
  TensorId tensor;
  DeviceId destination;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// Ops of one co-location group decline to be fused (`to` is 0), or no longer do (`from` is 0).
struct FusionChange {
  std::vector<OpId> ops;  // those that change, by ascending id
  std::int32_t from = 0;  // the greatest of theirs
  std::int32_t to = 0;
};

using PlanChange = std::variant<DeviceChange, PriorityChange, TransferChange, FusionChange>;

// `plan` with that change made. Where ops leave their device under queue kOrder, all streams take
// the order of `start_order`, that of a run of `plan` (sim::SimReport), in which the ops of a
// kernel stand together; the ops that move go to the first stream of the other device. Copies of
// tensors that they make or read leave the orders of channels. So the new order can go on, too,
// whatever of the kernels is left.
// REQUIRES: under kOrder, `start_order` has all ops; it is not read otherwise.
[[nodiscard]] sim::Plan Changed(const sim::OpGraph& graph,
                                sim::Plan plan,
                                const PlanChange& change,
                                std::span<const OpId> start_order);

}  // namespace opyard::experiments
