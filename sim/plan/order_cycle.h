// Orders of streams and channels that can never go on: ops and copies that wait for each other in a
// cycle.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// An op, or a copy that the order of a channel names.
using OrderStep = std::variant<OpId, CopyId>;

enum class OrderWaitKind : std::uint8_t {
  kInput,    // `awaited` has to end before `step` may start
  kStream,   // `awaited` stands right before `step` in its stream
  kChannel,  // `awaited` stands right before `step` in the order of a channel
};

// One wait of a cycle.
struct OrderWait {
  OrderStep step;
  OrderStep awaited;
  OrderWaitKind kind = OrderWaitKind::kInput;
  std::string channel;  // its name, of kChannel
  friend bool operator==(const OrderWait&, const OrderWait&) = default;
};

// The waits of one cycle: each `awaited` is the `step` of the next, that of the last the first
// `step`. Empty if every op and copy comes to its turn. Without fusion, no cycle means that the
// plan completes where memory lets it. O((ops + edges + copies) log copies). REQUIRES: ValidatePlan
// accepts the plan.
[[nodiscard]] std::vector<OrderWait> FindOrderCycle(const OpGraph& graph, const Plan& plan);

// "op 3 "c" waits for the copy of a:0 to gpu1, which stands on cable> behind …": the cycle for
// people. REQUIRES: `cycle` is not empty.
[[nodiscard]] std::string CycleText(const OpGraph& graph,
                                    const HardwareProfile& hardware,
                                    const std::vector<OrderWait>& cycle);

}  // namespace opyard::sim
