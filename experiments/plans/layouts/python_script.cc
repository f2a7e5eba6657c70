#include "experiments/plans/layouts/python_script.h"

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/module_placement.h"
#include "experiments/plans/layouts/module_rounding.h"
#include "experiments/plans/layouts/order_limits.h"
#include "experiments/text/number_format.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

constexpr const char* kScript = "the script";
constexpr const char* kTorchDevice = "cuda:";

// The script, between its two dictionaries.
constexpr std::string_view kScriptHead = R"PY("""Runs a model on several devices, module by module.

    from dispatch import dispatch

    model = dispatch(make_model())
    output = model(*inputs)

`python dispatch.py FILE.py:FUNCTION [NAME=NAME ...]` compares a model with itself undivided: FUNCTION
returns the model and a tensor or a tuple of tensors; `cuda:1=cpu` puts another device in the place of
one that this machine lacks.
"""

from __future__ import annotations

import copy
import importlib.util
import sys

import torch
from torch import nn

# The device of each module with all below it; entries of modules below go before it.
DEVICES = )PY";
constexpr std::string_view kScriptMiddle = R"PY(
# Modules whose outputs go to another device at once, since the module around them reads them there.
OUTPUTS = )PY";
constexpr std::string_view kScriptTail = R"PY(

def moved(value, device):
    """`value` with all tensors in it on `device`."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return type(value)({key: moved(entry, device) for key, entry in value.items()})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(moved(entry, device) for entry in value))
    if isinstance(value, (list, tuple)):
        return type(value)(moved(entry, device) for entry in value)
    return value


def dispatch(model: nn.Module, names: dict[str, str] | None = None) -> nn.Module:
    """Moves the modules of `model` to their devices; `names` replaces names of devices.

    Call it once, before the optimizer is made.
    """
    names = names or {}
    modules = dict(model.named_modules())
    for path in sorted(DEVICES, key=lambda path: path.count(".") + bool(path)):
        if path in modules:  # a loss outside of the model has no module
            device = torch.device(names.get(DEVICES[path], DEVICES[path]))
            modules[path].to(device)
            modules[path].register_forward_pre_hook(
                lambda module, args, kwargs, device=device: (
                    moved(args, device),
                    moved(kwargs, device),
                ),
                with_kwargs=True,
            )
    for path, name in OUTPUTS.items():
        if path in modules:
            device = torch.device(names.get(name, name))
            modules[path].register_forward_hook(
                lambda module, args, output, device=device: moved(output, device)
            )
    return model


def main(arguments: list[str]) -> None:
    """Prints by how much the divided model differs from the undivided one."""
    file, _, function = arguments[0].rpartition(":")
    spec = importlib.util.spec_from_file_location("model", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model, inputs = getattr(module, function)()[:2]
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    model.eval()
    divided = dispatch(copy.deepcopy(model), dict(word.split("=") for word in arguments[1:]))
    with torch.no_grad():
        expected = model(*inputs)
        found = divided(*inputs)
    pairs = zip(tensors_of(expected), tensors_of(found), strict=True)
    difference = max((a - b.to(a.device)).abs().max().item() for a, b in pairs)
    print(f"largest difference: {difference:g}")


def tensors_of(value) -> list[torch.Tensor]:
    """The tensors in `value`."""
    if isinstance(value, torch.Tensor):
        return [value]
    entries = value.values() if isinstance(value, dict) else value
    is_container = isinstance(value, (dict, list, tuple))
    return [tensor for entry in entries for tensor in tensors_of(entry)] if is_container else []


if __name__ == "__main__":
    main(sys.argv[1:])
)PY";

using PathNames = std::map<std::string, std::string>;

class ScriptWriter {
 public:
  ScriptWriter(const LayoutInput& input, std::vector<Inexpressible>& reasons)
      : input_(input),
        reasons_(reasons),
        devices_(PlacementOf(input.tree, input.roles, input.plan.placement)),
        ops_of_(OpsOfModules(input.tree)) {}

  std::string Write() {
    Visit(0);
    CheckWeights();
    return std::string(kScriptHead) + TextOf(map_) + std::string(kScriptMiddle) + TextOf(outputs_) +
           std::string(kScriptTail);
  }

 private:
  void Visit(std::int32_t module) {
    const ModuleDevices& own = devices_.own[At(module)];
    const ModuleDevices& whole = devices_.whole[At(module)];
    if (whole.is_one()) {
      AddEntry(module, whole.device());
      return;
    }
    if (own.is_mixed() || (!own.empty() && !own.is_one())) {
      AddMixed(module, own);
    } else if (!own.empty()) {
      AddEntry(module, own.device());
      AddOutputs(module, own.device());
    }
    for (const std::int32_t child : input_.tree.modules[At(module)].children) {
      if (!devices_.whole[At(child)].empty()) {
        Visit(child);
      }
    }
  }

  void AddEntry(std::int32_t module, DeviceId device) {
    map_[PathOf(module)] = FrameworkName(input_, device, kTorchDevice);
  }

  // Children of `module` whose outputs its own ops read, from another device.
  void AddOutputs(std::int32_t module, DeviceId device) {
    const sim::OpGraph& graph = input_.problem.graph();
    for (const OpId op : ops_of_[At(module)]) {
      if (input_.roles[op.index()] != OpRole::kForward) {
        continue;
      }
      for (const TensorId tensor : graph.inputs(op)) {
        const OpId producer = graph.tensor(tensor).producer;
        const std::int32_t child = ChildAround(module, input_.tree.module_of[producer.index()]);
        if (child >= 0 && input_.roles[producer.index()] == OpRole::kForward &&
            input_.plan.placement[producer.index()] != device) {
          outputs_[PathOf(child)] = FrameworkName(input_, device, kTorchDevice);
        }
      }
    }
  }

  // The child of `module` that is `inner` or around it; -1 where `inner` is not below `module`.
  [[nodiscard]] std::int32_t ChildAround(std::int32_t module, std::int32_t inner) const {
    while (inner >= 0 && input_.tree.modules[At(inner)].parent != module) {
      inner = input_.tree.modules[At(inner)].parent;
    }
    return inner;
  }

  void AddMixed(std::int32_t module, const ModuleDevices& own) {
    const auto text = [&](const DeviceSpread& spread) {
      return spread.Text(input_.problem.graph(), input_.problem.hardware());
    };
    const auto& all = input_.problem.hardware().devices;
    const std::string why = own.compute.is_mixed() ? "on " + text(own.compute)
                            : own.weights.is_mixed()
                                ? "weights on " + text(own.weights)
                                : "weights on " + all[own.weights.device().index()].name +
                                      ", ops on " + all[own.compute.device().index()].name;
    Add(module, why + "; the script has one device for the ops and weights of a module");
  }

  // An op that reads a weight of another module finds it where that module is.
  void CheckWeights() {
    const sim::OpGraph& graph = input_.problem.graph();
    for (std::size_t i = 0; i < input_.roles.size(); ++i) {
      if (input_.roles[i] != OpRole::kForward) {
        continue;
      }
      for (const TensorId tensor : graph.inputs(OpId(i))) {
        const OpId weight = graph.tensor(tensor).producer;
        const bool is_apart = input_.roles[weight.index()] == OpRole::kWeight &&
                              input_.tree.module_of[weight.index()] != input_.tree.module_of[i] &&
                              input_.plan.placement[weight.index()] != input_.plan.placement[i];
        if (is_apart) {
          Add(input_.tree.module_of[i],
              "op " + OneLine(graph.op(OpId(i)).name) + " reads the weight " +
                  OneLine(graph.op(weight).name) +
                  " of another module on another device; weights stay with their module");
        }
      }
    }
  }

  void Add(std::int32_t module, const std::string& why) {
    reasons_.push_back({.what = ModuleText(input_.tree, module), .why = why, .module = module});
  }

  [[nodiscard]] const std::string& PathOf(std::int32_t module) const {
    return input_.tree.modules[At(module)].path;
  }

  [[nodiscard]] static std::string TextOf(const PathNames& names) {
    std::string text = "{\n";
    for (const auto& [path, name] : names) {
      text += "    " + nlohmann::json(path).dump() + ": " + nlohmann::json(name).dump() + ",\n";
    }
    return names.empty() ? "{}\n" : text + "}\n";
  }

  const LayoutInput& input_;
  std::vector<Inexpressible>& reasons_;
  ModulePlacement devices_;
  std::vector<std::vector<OpId>> ops_of_;
  PathNames map_;
  PathNames outputs_;
};

}  // namespace

Layout WritePythonScript(const LayoutInput& input, std::vector<Inexpressible>& reasons) {
  AddEagerLimits(input, kScript, reasons);
  AddSharedNames(input, UsedDevices(input), kTorchDevice, reasons);
  return {.files = {{"dispatch.py", ScriptWriter(input, reasons).Write()}}, .notes = {}};
}

sim::OpPlacement RoundForPythonScript(const LayoutInput& input) {
  return RoundToModules(input,
                        {.inputs = std::nullopt,
                         .device_for_ops = [](DeviceId device) { return device; },
                         .device_for_weights = [](DeviceId, DeviceId ops) { return ops; },
                         .find_reasons =
                             [](const LayoutInput& rounded) {
                               std::vector<Inexpressible> reasons;
                               (void)ScriptWriter(rounded, reasons).Write();
                               return reasons;
                             }});
}

}  // namespace opyard::experiments
