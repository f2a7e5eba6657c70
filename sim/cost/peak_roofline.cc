#include "sim/cost/peak_roofline.h"

#include "sim/cost/roofline.h"
#include "sim/cost/soft_maximum.h"

namespace opyard::sim {
namespace {

// `device` as its data sheet promises: all peaks are sustained, and it waits for nothing.
Device IdealOf(const Device& device) {
  Device ideal = device;
  ideal.cost = CostParameters();
  ideal.cost.softmax_q = kHardMaximumQ;
  return ideal;
}

}  // namespace

OpCost PeakRooflineModel::Cost(const OpGraph& graph, OpId op, const Device& device) const {
  return RooflineModel().Cost(graph, op, IdealOf(device));
}

}  // namespace opyard::sim
