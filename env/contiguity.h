// Placements in which devices follow the network's order.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/colocation.h"
#include "sim/graph/op_graph.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// The groups of a graph in the order of their forward ops (sim/graph/forward_order.h), and the rule
// on placements along it: each device has the groups of one run of that order, or none, whichever
// device comes first. Groups that may run on one device alone stand outside of the order.
// Immutable and thread-safe.
class Contiguity {
 public:
  // The devices on which each group may run, ascending: [num_groups].
  using AllowedDevices = std::vector<std::span<const DeviceId>>;

  // Copies what it needs. Throws InputError if no placement that is found follows the order.
  Contiguity(const sim::OpGraph& graph,
             const sim::Grouping& grouping,
             const AllowedDevices& allowed,
             std::shared_ptr<const sim::CostTable> costs);

  // True if the placement follows the order, and for one that is not legal, which is left to the
  // simulator.
  [[nodiscard]] bool Holds(const sim::OpPlacement& placement) const;

  // The placement that follows the order and leaves ops where they are for as much of their time,
  // there, as any does; itself where Holds. Of several the same one each time. Exact for placements
  // on up to eight devices (a dynamic programme over segments of the order and sets of devices);
  // beyond, and where segments and sets are too many to hold, exact among the placements in which
  // devices come by the mean place of their ops.
  [[nodiscard]] sim::OpPlacement Nearest(const sim::OpPlacement& placement) const;

 private:
  struct Member {
    std::vector<OpId> ops;
    std::vector<DeviceId> devices;  // on which it may run, ascending
  };

  [[nodiscard]] bool IsLegal(const sim::OpPlacement& placement) const;
  [[nodiscard]] std::optional<sim::OpPlacement> FindNearest(
      const sim::OpPlacement& placement) const;

  std::vector<Member> members_;  // in the network's order
  std::shared_ptr<const sim::CostTable> costs_;
  std::size_t num_ops_ = 0;
  sim::OpPlacement some_;  // one that follows the order
};

}  // namespace opyard::env
