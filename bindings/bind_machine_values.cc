// opyard._core.Machine from a dict, and back.
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/bindings.h"
#include "bindings/python_values.h"
#include "experiments/machines/machine_loading.h"
#include "experiments/machines/profile_reading.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/base/quote.h"
#include "sim/io/machine/machine_yaml_write.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

using Json = nlohmann::ordered_json;

sim::YamlNode NodeOf(const Json& json, const std::string& pointer, sim::YamlTree& tree) {
  sim::YamlNode node;
  node.line = static_cast<int>(tree.pointers.size());
  tree.pointers.push_back(pointer);
  if (json.is_array()) {
    node.kind = sim::YamlNode::Kind::kSequence;
    for (std::size_t i = 0; i < json.size(); ++i) {
      node.items.push_back(NodeOf(json[i], pointer + "/" + std::to_string(i), tree));
    }
  } else if (json.is_object()) {
    node.kind = sim::YamlNode::Kind::kMap;
    for (const auto& [key, value] : json.items()) {
      sim::YamlNode of_value = NodeOf(value, pointer + "/" + PointerToken(key), tree);
      const int line = of_value.line;
      node.entries.push_back({.key = key, .line = line, .value = std::move(of_value)});
    }
  } else if (!json.is_null()) {
    node.kind = sim::YamlNode::Kind::kScalar;
    node.is_quoted = json.is_string();
    node.text = json.is_string()         ? json.get<std::string>()
                : json.is_number_float() ? ToText(json.get<double>())
                                         : json.dump();
  }
  return node;
}

std::shared_ptr<sim::HardwareProfile> MachineOf(const py::dict& values) {
  sim::YamlTree tree;
  tree.root = NodeOf(JsonOf(values, "machine#"), "", tree);
  const sim::MachineReading reading = sim::ReadMachineValues(tree, "machine");
  Warn(experiments::MachineWarning(reading.oddities));
  return std::const_pointer_cast<sim::HardwareProfile>(reading.machine);
}

// The number that all of `text` is, if it is one.
template <class Number>
std::optional<Number> FindNumber(const std::string& text) {
  Number number{};
  const char* last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, number);
  return status == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

Json ScalarOf(const sim::YamlNode& node) {
  if (node.is_quoted) {
    return node.text;
  }
  if (node.text == "true" || node.text == "false") {
    return node.text == "true";
  }
  if (const auto whole = FindNumber<std::int64_t>(node.text)) {
    return *whole;
  }
  const auto number = FindNumber<double>(node.text);
  return number.has_value() ? Json(*number) : Json(node.text);
}

Json JsonOfNode(const sim::YamlNode& node) {
  switch (node.kind) {
    case sim::YamlNode::Kind::kNull:
      return nullptr;
    case sim::YamlNode::Kind::kScalar:
      return ScalarOf(node);
    case sim::YamlNode::Kind::kSequence: {
      Json list = Json::array();
      for (const sim::YamlNode& item : node.items) {
        list.push_back(JsonOfNode(item));
      }
      return list;
    }
    case sim::YamlNode::Kind::kMap:
      break;
  }
  Json map = Json::object();
  for (const sim::YamlNode::Entry& entry : node.entries) {
    map[entry.key] = JsonOfNode(entry.value);
  }
  return map;
}

py::object MachineDict(const sim::HardwareProfile& machine) {
  constexpr std::size_t kUnlimited = std::size_t{1} << 40U;
  Diagnostics diagnostics;
  const auto root =
      sim::ParseYaml(sim::WriteMachineText(machine),
                     "machine",
                     diagnostics,
                     {.bytes = kUnlimited, .values = kUnlimited, .text_bytes = kUnlimited});
  OPYARD_CHECK(root.has_value(), "a machine that was written is YAML");
  return PythonOf(JsonOfNode(*root));
}

// The file of the device that `reference` names, which is valid.
std::filesystem::path DevicePath(const std::string& reference) {
  if (std::string(experiments::WhatOf(experiments::ReadProfile(reference))) != "device") {
    throw InputError("found " + Quoted(reference) + ", a machine, expected a device");
  }
  for (const sim::ShippedProfile& shipped : sim::ListShippedProfiles()) {
    if (shipped.name == reference) {
      return shipped.path;
    }
  }
  return reference;
}

py::object DeviceDict(const std::string& reference) {
  Diagnostics diagnostics;
  const auto root = sim::ReadYamlFile(DevicePath(reference), diagnostics, sim::YamlFile::kDevice);
  diagnostics.ThrowIfAny();
  return PythonOf(JsonOfNode(root.value()));
}

}  // namespace

void BindDeviceValues(py::module_& module) {
  module.def("device_values",
             &DeviceDict,
             py::arg("reference"),
             R"(What a valid device file holds, as a dict with its keys in their order.

Args:
    reference: A file, or the name of a shipped device.

Raises:
    InputError: There is none, it is wrong, or it is a machine.
)");
}

void BindMachineValues(MachineClass& machine) {
  machine.def_static("from_dict", &MachineOf, py::arg("values"), R"(Makes a machine from a dict.

It holds what a machine file holds (docs/formats.md, "Device and machine"): the same keys, texts
with units such as ``"16 GiB"`` and ``"5 us"``. Device types are the shipped ones. A device that
gives `kind`, `memory`, `memory_bandwidth` and `peak_flops` itself may name any other type, too.
Warns of figures that are likely typed wrong (UserWarning).

Args:
    values: The machine, such as ``{"schema_version": 1, "name": "two", "devices": [{"name": "gpu",
        "type": "p100-pcie-16gb", "count": 2}], "links": [{"name": "nv", "between": ["gpu0",
        "gpu1"], "bandwidth": "20 GB/s", "latency": "5 us"}]}``.

Raises:
    InputError: It is no legal machine. All errors are reported at once, each with its place, as
        ``machine#/devices/0/memory``.
)");
  machine.def(
      "to_dict", &MachineDict, R"(The machine as a dict, from which `from_dict` makes an equal one.

Devices are whole, with their figures in base units (``"17179869184 B"``); what their files say of
where numbers come from is left out.
)");
}

}  // namespace opyard::bindings
