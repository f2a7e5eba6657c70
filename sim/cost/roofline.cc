#include "sim/cost/roofline.h"

#include <optional>

#include "sim/cost/device_rates.h"
#include "sim/cost/measured.h"
#include "sim/cost/op_costs.h"
#include "sim/cost/soft_maximum.h"
#include "sim/cost/zero_cost.h"

namespace opyard::sim {

OpCost RooflineModel::Cost(const OpGraph& graph, OpId op, const Device& device) const {
  const std::optional<double> seconds = FindMeasuredSeconds(graph, op, device);
  if (IsZeroCost(graph, op) && seconds.value_or(0.0) == 0.0) {
    return {};
  }
  if (seconds.has_value()) {
    const double launch_s = graph.measured() == Measured::kKernel ? device.launch_overhead_s : 0.0;
    return {.launch_s = launch_s,
            .bytes_per_s = TermsOf(graph.op(op), graph.work_shape(op), device).bytes_per_s,
            .is_measured = true,
            .total_s = launch_s + *seconds};
  }
  OpCost cost = TermsOf(graph.op(op), graph.work_shape(op), device);
  cost.total_s = Finite(cost.launch_s + SoftMaximum(cost.flop_s, cost.byte_s, cost.q));
  return cost;
}

}  // namespace opyard::sim
