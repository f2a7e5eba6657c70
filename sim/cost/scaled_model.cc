#include "sim/cost/scaled_model.h"

namespace opyard::sim {

OpCost ScaledModel::Cost(const OpGraph& graph, OpId op, const Device& device) const {
  OpCost cost = model_.Cost(graph, op, device);
  const auto found = factors_.find(graph.op(op).type);
  if (found != factors_.end()) {
    const double factor = found->second;
    cost.launch_s *= factor;
    cost.flop_s *= factor;
    cost.byte_s *= factor;
    cost.total_s *= factor;
    cost.bytes_per_s /= factor;
  }
  return cost;
}

}  // namespace opyard::sim
