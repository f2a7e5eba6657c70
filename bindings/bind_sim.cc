#include <filesystem>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/plan_json.h"
#include "sim/io/profile_yaml.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

sim::QueueDiscipline ToQueue(const std::optional<std::string>& name, bool has_priorities) {
  const std::string queue = name.value_or(has_priorities ? "priority" : "fifo");
  if (queue != "fifo" && queue != "priority") {
    throw InputError("queue: found " + Quoted(queue) + ", expected fifo, priority");
  }
  return queue == "fifo" ? sim::QueueDiscipline::kFifo : sim::QueueDiscipline::kPriority;
}

sim::Plan MakePlan(const std::vector<std::int32_t>& placement,
                   const std::optional<std::string>& queue,
                   std::vector<std::int64_t> op_priority,
                   std::vector<std::int32_t> fusion_priority) {
  sim::Plan plan{.queue = ToQueue(queue, !op_priority.empty()),
                 .op_priority = std::move(op_priority),
                 .fusion_priority = std::move(fusion_priority)};
  plan.placement.reserve(placement.size());
  for (const std::int32_t device : placement) {
    plan.placement.emplace_back(device);
  }
  return plan;
}

std::vector<std::int32_t> PlacementOf(const sim::Plan& plan) {
  std::vector<std::int32_t> placement;
  for (const DeviceId device : plan.placement) {
    placement.push_back(device.value);
  }
  return placement;
}

void BindMachine(py::module_& module) {
  py::class_<sim::HardwareProfile, std::shared_ptr<sim::HardwareProfile>>(
      module, "Machine", "An immutable machine: devices, links, routes and rules.")
      .def_property_readonly("name",
                             [](const sim::HardwareProfile& machine) { return machine.name; })
      .def_property_readonly("num_devices", &sim::HardwareProfile::num_devices)
      .def_property_readonly("device_names", &sim::HardwareProfile::DeviceNames)
      .def("__len__", &sim::HardwareProfile::num_devices)
      .def("__repr__", [](const sim::HardwareProfile& machine) {
        return "<opyard.Machine " + machine.name + ": " + JoinNames(machine.DeviceNames()) + ">";
      });
  module.def(
      "load_machine",
      [](const std::string& reference) {
        return std::const_pointer_cast<sim::HardwareProfile>(sim::LoadMachine(reference));
      },
      py::arg("reference"),
      "The machine that a reference names: a path or a shipped name such as \"p100x2-pcie\".\n"
      "Raises InputError if there is none or it is not legal.");
}

}  // namespace

void BindSim(py::module_& module) {
  BindMachine(module);
  py::class_<sim::Plan>(module, "Plan", "Every decision that the simulator executes.")
      .def(py::init(&MakePlan),
           py::arg("placement"),
           py::arg("queue") = py::none(),
           py::arg("op_priority") = std::vector<std::int64_t>(),
           py::arg("fusion_priority") = std::vector<std::int32_t>(),
           "placement: one device index per op. queue: \"fifo\" or \"priority\", by default\n"
           "\"priority\" if op_priority is given. op_priority: one whole number per op, higher\n"
           "runs first. fusion_priority: one whole number per op, higher fuses first, 0 never;\n"
           "nothing fuses if it is not given.")
      .def_property_readonly("placement", &PlacementOf)
      .def_property_readonly("queue",
                             [](const sim::Plan& plan) {
                               return plan.queue == sim::QueueDiscipline::kFifo ? "fifo"
                                                                                : "priority";
                             })
      .def_property_readonly("op_priority", [](const sim::Plan& plan) { return plan.op_priority; })
      .def_property_readonly("fusion_priority",
                             [](const sim::Plan& plan) { return plan.fusion_priority; })
      .def("__eq__", [](const sim::Plan& plan, const sim::Plan& other) { return plan == other; })
      .def(
          "save",
          [](const sim::Plan& plan,
             const std::filesystem::path& path,
             const GraphOrReference& graph,
             const MachineOrReference& hardware) {
            sim::WritePlanFile(plan, *ToGraph(graph), *ToMachine(hardware), path);
          },
          py::arg("path"),
          py::arg("graph"),
          py::arg("hardware"),
          "Writes a *.plan.json file.");
  module.def(
      "load_plan",
      [](const std::filesystem::path& path,
         const GraphOrReference& graph,
         const MachineOrReference& hardware) {
        return sim::ReadPlanFile(path, *ToGraph(graph), *ToMachine(hardware));
      },
      py::arg("path"),
      py::arg("graph"),
      py::arg("hardware"),
      "Reads a *.plan.json file. Raises InputError if it does not fit the graph and machine.");
}

}  // namespace opyard::bindings
