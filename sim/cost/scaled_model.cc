#include "sim/cost/scaled_model.h"

namespace opyard::sim {
namespace {

OpCost Scaled(OpCost cost, double factor) {
  cost.launch_s *= factor;
  cost.flop_s *= factor;
  cost.byte_s *= factor;
  cost.total_s *= factor;
  cost.bytes_per_s /= factor;
  return cost;
}

}  // namespace

OpCost ScaledModel::Cost(const OpGraph& graph, OpId op, const Device& device) const {
  const auto found = factors_.find(graph.op(op).type);
  const OpCost cost = model_.Cost(graph, op, device);
  return found == factors_.end() ? cost : Scaled(cost, found->second);
}

OpCost NoisyModel::Cost(const OpGraph& graph, OpId op, const Device& device) const {
  return Scaled(model_.Cost(graph, op, device), factors_[op.index()]);
}

}  // namespace opyard::sim
