// The differences between two plans of one problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

struct DeviceDifference {
  OpId op;
  DeviceId before;
  DeviceId after;
};

struct PriorityDifference {
  OpId op;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

struct TransferDifference {
  TensorId tensor;
  DeviceId destination;
  std::optional<std::int64_t> before;  // nothing where the plan says none
  std::optional<std::int64_t> after;
};

// A place among the streams of a plan; the last two count from 0.
struct StreamPlace {
  DeviceId device;
  std::size_t stream = 0;
  std::size_t position = 0;
};

struct OrderDifference {
  OpId op;
  StreamPlace before;
  StreamPlace after;
};

// Lists are by op, those of transfers by tensor and destination.
struct PlanDifference {
  bool has_other_queue = false;
  std::vector<DeviceDifference> placement;
  std::vector<PriorityDifference> op_priority;
  std::vector<TransferDifference> transfer_priority;
  std::vector<PriorityDifference> fusion_priority;
  std::vector<PriorityDifference> fusion_region;
  // The fewest ops whose moves turn one order into the other; empty unless both queues are kOrder.
  std::vector<OrderDifference> order;

  [[nodiscard]] bool is_empty() const {
    return !has_other_queue && placement.empty() && op_priority.empty() &&
           transfer_priority.empty() && fusion_priority.empty() && fusion_region.empty() &&
           order.empty();
  }
};

// Priorities and regions that a plan leaves out are 0, those of transfers nothing. REQUIRES: both
// plans are legal for one graph and machine. O(n log n).
[[nodiscard]] PlanDifference Compare(const sim::Plan& before, const sim::Plan& after);

}  // namespace opyard::experiments
