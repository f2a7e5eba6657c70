#include "experiments/explain/plan_change.h"

#include <utility>

namespace opyard::experiments {
namespace {

void Apply(const DeviceChange& change, sim::Plan& plan) {
  for (const OpId op : change.ops) {
    plan.placement[op.index()] = change.to;
  }
}

void Apply(const PriorityChange& change, sim::Plan& plan) {
  plan.op_priority[change.op.index()] = change.to;
}

void Apply(const TransferChange& change, sim::Plan& plan) {
  for (sim::TransferPriority& given : plan.transfer_priority) {
    if (given.tensor == change.tensor && given.destination == change.destination) {
      given.priority = change.to;
    }
  }
}

void Apply(const FusionChange& change, sim::Plan& plan) {
  for (const OpId op : change.ops) {
    plan.fusion_priority[op.index()] = change.to;
  }
}

}  // namespace

sim::Plan Changed(sim::Plan plan, const PlanChange& change) {
  std::visit([&plan](const auto& one) { Apply(one, plan); }, change);
  return plan;
}

}  // namespace opyard::experiments
