#include "experiments/plans/layouts/accelerate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/module_placement.h"
#include "experiments/plans/layouts/module_rounding.h"
#include "experiments/plans/layouts/order_limits.h"
#include "experiments/text/number_format.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

constexpr const char* kAccelerate = "accelerate";

// The device that modules whose weights wait elsewhere compute on, and that takes the inputs of the
// network: the first accelerator in the program that computes, else the first device that does.
DeviceId MainDeviceOf(const LayoutInput& input) {
  std::optional<DeviceId> first;
  for (const OpId op : input.problem.graph().topological_order()) {
    const DeviceId device = input.plan.placement[op.index()];
    if (IsCompute(input.roles[op.index()])) {
      if (!IsCpu(input.problem.hardware(), device)) {
        return device;
      }
      first = first.value_or(device);
    }
  }
  return first.value_or(input.problem.first_accelerator());
}

nlohmann::ordered_json NameJson(const std::string& name) {
  const bool is_number =
      !name.empty() && name.size() < 10 && name.find_first_not_of("0123456789") == name.npos;
  return is_number ? nlohmann::ordered_json(std::stoi(name)) : nlohmann::ordered_json(name);
}

class DeviceMapWriter {
 public:
  DeviceMapWriter(const LayoutInput& input, std::vector<Inexpressible>& reasons)
      : input_(input),
        reasons_(reasons),
        graph_(input.problem.graph()),
        main_(MainDeviceOf(input)),
        devices_(PlacementOf(input.tree, input.roles, input.plan.placement)),
        ops_of_(OpsOfModules(input.tree)) {}

  nlohmann::ordered_json Write() {
    Visit(0);
    return map_;
  }

  [[nodiscard]] DeviceId main() const { return main_; }

 private:
  void Visit(std::int32_t module) {
    const ModuleDevices& whole = devices_.whole[At(module)];
    if (whole.empty()) {
      return;
    }
    if (!whole.is_mixed()) {
      AddEntry(module, whole);
    } else if (input_.tree.modules[At(module)].children.empty()) {
      AddMixed(module, whole);
    } else if (!devices_.own[At(module)].weights.empty()) {
      const DeviceSpread& spread = whole.compute.is_mixed() ? whole.compute : whole.weights;
      Add(module,
          "has weights of its own and is on " + TextOf(spread) +
              "; a device_map knows whole modules");
    } else {
      Open(module);
    }
  }

  void Open(std::int32_t module) {
    for (const OpId op : ops_of_[At(module)]) {
      if (input_.roles[op.index()] == OpRole::kForward) {
        CheckBetween(module, op);
      }
    }
    CheckBackward(module);
    for (const std::int32_t child : input_.tree.modules[At(module)].children) {
      Visit(child);
    }
  }

  void AddEntry(std::int32_t module, const ModuleDevices& whole) {
    const sim::HardwareProfile& hardware = input_.problem.hardware();
    const DeviceId at = whole.compute.empty() ? whole.weights.device() : whole.compute.device();
    const DeviceId weights = whole.weights.empty() ? at : whole.weights.device();
    const bool waits = IsCpu(hardware, weights) && at == main_;
    if (IsCpu(hardware, at) && !IsCpu(hardware, main_)) {
      Add(module,
          "computes on " + NameOf(at) + "; accelerate keeps weights there and computes on " +
              NameOf(main_));
    } else if (weights != at && !waits) {
      Add(module,
          "weights on " + NameOf(weights) + ", ops on " + NameOf(at) +
              "; a device_map has one device for both");
    } else {
      map_[input_.tree.modules[At(module)].path] = NameJson(FrameworkName(input_, weights, ""));
    }
  }

  void AddMixed(std::int32_t module, const ModuleDevices& whole) {
    Add(module,
        (whole.compute.is_mixed() ? "on " + TextOf(whole.compute)
                                  : "weights on " + TextOf(whole.weights)) +
            "; a device_map knows whole modules");
  }

  // An op that `module` runs itself, between its children, is where the tensors are that it reads.
  void CheckBetween(std::int32_t module, OpId op) {
    DeviceSpread read;
    for (const TensorId tensor : graph_.inputs(op)) {
      const OpId producer = graph_.tensor(tensor).producer;
      const bool is_input = input_.roles[producer.index()] == OpRole::kOutside;
      read.Add(producer, is_input ? main_ : input_.plan.placement[producer.index()]);
    }
    const std::string name = "its own op " + OneLine(graph_.op(op).name);
    const DeviceId at = input_.plan.placement[op.index()];
    if (read.is_mixed()) {
      Add(module,
          name + " reads from " + TextOf(read) +
              "; accelerate moves what modules read, not ops between them");
    } else if (read.is_one() && read.device() != at) {
      Add(module,
          name + " is on " + NameOf(at) + ", what it reads on " + NameOf(read.device()) +
              "; accelerate moves what modules read, not ops between them");
    }
  }

  // Autograd runs the backward pass of an op where the op has run.
  void CheckBackward(std::int32_t module) {
    std::vector<DeviceId> forward;
    for (const OpId op : ops_of_[At(module)]) {
      if (input_.roles[op.index()] == OpRole::kForward) {
        forward.push_back(input_.plan.placement[op.index()]);
      }
    }
    for (const OpId op : ops_of_[At(module)]) {
      const bool is_apart =
          input_.roles[op.index()] == OpRole::kBackward && !forward.empty() &&
          std::ranges::find(forward, input_.plan.placement[op.index()]) == forward.end();
      if (is_apart) {
        Add(module,
            "its own op " + OneLine(graph_.op(op).name) + " is on " +
                NameOf(input_.plan.placement[op.index()]) +
                "; the backward pass runs where the forward pass ran");
        return;
      }
    }
  }

  void Add(std::int32_t module, const std::string& why) {
    reasons_.push_back({.what = ModuleText(input_.tree, module), .why = why, .module = module});
  }

  [[nodiscard]] std::string NameOf(DeviceId device) const {
    return input_.problem.hardware().devices[device.index()].name;
  }
  [[nodiscard]] std::string TextOf(const DeviceSpread& spread) const {
    return spread.Text(graph_, input_.problem.hardware());
  }

  const LayoutInput& input_;
  std::vector<Inexpressible>& reasons_;
  const sim::OpGraph& graph_;
  DeviceId main_;
  ModulePlacement devices_;
  std::vector<std::vector<OpId>> ops_of_;
  nlohmann::ordered_json map_ = nlohmann::ordered_json::object();
};

}  // namespace

Layout WriteAccelerate(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  AddEagerLimits(input, kAccelerate, reasons);
  AddSharedNames(input, UsedDevices(input), "", reasons);
  DeviceMapWriter writer(input, reasons);
  const nlohmann::ordered_json map = writer.Write();
  Layout layout{.files = {{"device_map.json", map.dump(1) + "\n"}}, .notes = {}};
  layout.notes.push_back("dispatch_model(model, device_map, main_device=" +
                         NameJson(FrameworkName(input, writer.main(), "")).dump() +
                         "); inputs begin there, and what the network returns goes back there");
  return layout;
}

sim::OpPlacement RoundForAccelerate(const LayoutInput& input) {
  const DeviceId main = MainDeviceOf(input);
  const sim::HardwareProfile& hardware = input.problem.hardware();
  const RoundingRules rules{
      .inputs = main,
      .device_for_ops = [&](DeviceId device) { return IsCpu(hardware, device) ? main : device; },
      .device_for_weights =
          [&](DeviceId weights, DeviceId ops) {
            return IsCpu(hardware, weights) && ops == main ? weights : ops;
          },
      .find_reasons =
          [](const LayoutInput& rounded) {
            std::vector<Inexpressible> reasons;
            DeviceMapWriter(rounded, reasons).Write();
            return reasons;
          }};
  return RoundToModules(input, rules);
}

}  // namespace opyard::experiments
