#include "experiments/plans/layouts/module_rounding.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "experiments/plans/layouts/module_placement.h"
#include "experiments/plans/layouts/placement_repair.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

class ModuleRounding {
 public:
  ModuleRounding(const LayoutInput& input, const RoundingRules& rules)
      : input_(input),
        rules_(rules),
        own_(input.tree.modules.size(),
             std::vector<DeviceLoad>(input.problem.hardware().num_devices(), DeviceLoad{})),
        is_whole_(input.tree.modules.size(), false) {
    for (std::size_t i = 0; i < input.roles.size(); ++i) {
      if (input.roles[i] != OpRole::kOutside) {
        AddLoad(OpId(i));
      }
    }
    whole_ = own_;
    for (std::size_t m = own_.size(); m-- > 1;) {  // children before parents
      AddTo(whole_[At(input.tree.modules[m].parent)], whole_[m]);
    }
  }

  sim::OpPlacement Find() {
    sim::OpPlacement placement = Place();
    for (;;) {
      const sim::Plan rounded{.placement = placement, .queue = sim::QueueDiscipline::kProgram};
      const std::vector<Inexpressible> reasons = rules_.find_reasons({.problem = input_.problem,
                                                                      .tree = input_.tree,
                                                                      .roles = input_.roles,
                                                                      .plan = rounded,
                                                                      .run = input_.run,
                                                                      .options = input_.options});
      if (!JoinModules(reasons)) {
        return placement;
      }
      placement = Place();
    }
  }

 private:
  // Weights count as ops, but take no time.
  void AddLoad(OpId op) {
    const DeviceId device = rules_.device_for_ops(input_.plan.placement[op.index()]);
    DeviceLoad& load = own_[At(input_.tree.module_of[op.index()])][device.index()];
    load[0] += input_.problem.costs().time(op, input_.plan.placement[op.index()]).picoseconds;
    ++load[1];
  }

  static void AddTo(std::vector<DeviceLoad>& sum, const std::vector<DeviceLoad>& part) {
    for (std::size_t d = 0; d < sum.size(); ++d) {
      sum[d][0] += part[d][0];
      sum[d][1] += part[d][1];
    }
  }

  // Makes the modules of `reasons` whole, or where they are already, their parents. False if that
  // changes nothing.
  bool JoinModules(const std::vector<Inexpressible>& reasons) {
    bool has_changed = false;
    for (const Inexpressible& reason : reasons) {
      std::int32_t module = reason.module;
      while (module > 0 && is_whole_[At(module)]) {
        module = input_.tree.modules[At(module)].parent;
      }
      if (module >= 0 && !is_whole_[At(module)]) {
        is_whole_[At(module)] = true;
        has_changed = true;
      }
    }
    return has_changed;
  }

  // The loads that decide for `module`: of the outermost module around it that is whole, or its
  // own.
  [[nodiscard]] const std::vector<DeviceLoad>& LoadsOf(std::int32_t module) const {
    const std::vector<DeviceLoad>* loads = &own_[At(module)];
    for (std::int32_t at = module; at >= 0; at = input_.tree.modules[At(at)].parent) {
      if (is_whole_[At(at)]) {
        loads = &whole_[At(at)];
      }
    }
    return *loads;
  }

  [[nodiscard]] sim::OpPlacement Place() const {
    std::vector<DeviceId> device_of;
    for (std::size_t m = 0; m < own_.size(); ++m) {
      const std::vector<DeviceLoad>& loads = LoadsOf(Size32(m));
      device_of.emplace_back(
          static_cast<std::size_t>(std::ranges::max_element(loads) - loads.begin()));
    }
    sim::OpPlacement placement;
    for (std::size_t i = 0; i < input_.roles.size(); ++i) {
      const DeviceId device = device_of[At(input_.tree.module_of[i])];
      const bool is_weight =
          input_.roles[i] == OpRole::kWeight || input_.roles[i] == OpRole::kUpdate;
      placement.push_back(is_weight ? rules_.device_for_weights(input_.plan.placement[i], device)
                                    : device);
    }
    if (rules_.inputs.has_value()) {
      FollowInputs(placement);
    }
    PlaceInputs(placement);
    return WithLegalPlaces(input_, std::move(placement));
  }

  // True for ops that a module runs between its children, which no device of the module holds.
  [[nodiscard]] bool IsBetween(OpId op, OpRole role) const {
    std::int32_t at = input_.tree.module_of[op.index()];
    if (input_.roles[op.index()] != role || input_.tree.modules[At(at)].children.empty()) {
      return false;
    }
    while (at >= 0 && !is_whole_[At(at)]) {
      at = input_.tree.modules[At(at)].parent;
    }
    return at < 0;
  }

  // Forward ops between modules go where the first tensor is that they read, in topological order;
  // backward ones where the first op is that reads theirs, in the reverse order.
  void FollowInputs(sim::OpPlacement& placement) const {
    const sim::OpGraph& graph = input_.problem.graph();
    const auto order = graph.topological_order();
    for (const OpId op : order) {
      if (IsBetween(op, OpRole::kForward) && !graph.inputs(op).empty()) {
        const OpId producer = graph.tensor(graph.inputs(op).front()).producer;
        placement[op.index()] = input_.roles[producer.index()] == OpRole::kOutside
                                    ? *rules_.inputs
                                    : placement[producer.index()];
      }
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const bool is_read = IsBetween(order[i], OpRole::kBackward) &&
                           graph.num_outputs(order[i]) > 0 &&
                           !graph.consumers(graph.output(order[i], 0)).empty();
      if (is_read) {
        const OpId reader = graph.consumers(graph.output(order[i], 0)).front();
        placement[order[i].index()] = placement[reader.index()];
      }
    }
  }

  void PlaceInputs(sim::OpPlacement& placement) const {
    const sim::OpGraph& graph = input_.problem.graph();
    for (std::size_t i = 0; i < input_.roles.size(); ++i) {
      const bool is_read = input_.roles[i] == OpRole::kOutside && graph.num_outputs(OpId(i)) > 0 &&
                           !graph.consumers(graph.output(OpId(i), 0)).empty();
      if (is_read) {
        placement[i] = placement[graph.consumers(graph.output(OpId(i), 0)).front().index()];
      }
    }
  }

  const LayoutInput& input_;
  const RoundingRules& rules_;
  std::vector<std::vector<DeviceLoad>> own_;    // [num_modules][num_devices]
  std::vector<std::vector<DeviceLoad>> whole_;  // with the modules below
  std::vector<bool> is_whole_;
};

}  // namespace

std::vector<std::vector<OpId>> OpsOfModules(const sim::ModuleTree& tree) {
  std::vector<std::vector<OpId>> ops(tree.modules.size());
  for (std::size_t i = 0; i < tree.module_of.size(); ++i) {
    ops[At(tree.module_of[i])].emplace_back(i);
  }
  return ops;
}

sim::OpPlacement RoundToModules(const LayoutInput& input, const RoundingRules& rules) {
  return ModuleRounding(input, rules).Find();
}

}  // namespace opyard::experiments
