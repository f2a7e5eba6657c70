// opyard._core.Machine and Plan.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "sim/base/error.h"
#include "sim/io/machine/machine_yaml_write.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"
#include "sim/plan/queue_name.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

std::vector<std::int64_t> PlacementOf(const sim::Plan& plan) {
  std::vector<std::int64_t> placement;
  for (const DeviceId device : plan.placement) {
    placement.push_back(device.value);
  }
  return placement;
}

OrderList OrderOf(const sim::Plan& plan) {
  OrderList order;
  for (const std::vector<sim::Stream>& streams : plan.order) {
    order.emplace_back();
    for (const sim::Stream& stream : streams) {
      order.back().emplace_back();
      for (const OpId op : stream) {
        order.back().back().push_back(op.value);
      }
    }
  }
  return order;
}

// Lists that Python can hash.
py::tuple Frozen(const OrderList& order) {
  py::list devices;
  for (const auto& streams : order) {
    py::list lists;
    for (const auto& stream : streams) {
      lists.append(py::tuple(py::cast(stream)));
    }
    devices.append(py::tuple(lists));
  }
  return py::tuple(devices);
}

TransferOrderLists TransferOrderOf(const sim::Plan& plan) {
  TransferOrderLists orders;
  for (const sim::ChannelOrder& order : plan.transfer_order) {
    for (const sim::CopyId& copy : order.copies) {
      orders[order.channel].emplace_back(copy.tensor.value, copy.destination.value);
    }
  }
  return orders;
}

py::tuple Frozen(const TransferOrderLists& orders) {
  py::list channels;
  for (const auto& [channel, copies] : orders) {
    channels.append(py::make_tuple(channel, py::tuple(py::cast(copies))));
  }
  return py::tuple(channels);
}

// Tensor index, device index and priority of copies.
using TransferPriorityList = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

// Throws InputError "transfer_priority/INDEX/PART: found …, expected …" for numbers that no plan
// holds.
std::vector<sim::TransferPriority> ToTransferPriority(const TransferPriorityList& list) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int32_t>::max();
  std::vector<sim::TransferPriority> priorities;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& [tensor, device, priority] = list[i];
    const std::string name = "transfer_priority/" + std::to_string(i);
    (void)InRange((name + "/0").c_str(), tensor, 0, kLast);
    (void)InRange((name + "/1").c_str(), device, 0, kLast);
    (void)InRange((name + "/2").c_str(), priority, -sim::kLargestPriority, sim::kLargestPriority);
    priorities.push_back({.tensor = TensorId(static_cast<std::size_t>(tensor)),
                          .destination = DeviceId(static_cast<std::size_t>(device)),
                          .priority = priority});
  }
  return priorities;
}

TransferPriorityList TransferPriorityOf(const sim::Plan& plan) {
  TransferPriorityList priorities;
  for (const sim::TransferPriority& given : plan.transfer_priority) {
    priorities.emplace_back(given.tensor.value, given.destination.value, given.priority);
  }
  return priorities;
}

// The state that makes an equal plan, as values that Python can hash.
py::tuple PlanState(const sim::Plan& plan) {
  return py::make_tuple(py::tuple(py::cast(PlacementOf(plan))),
                        NameOf(plan.queue),
                        py::tuple(py::cast(plan.op_priority)),
                        py::tuple(py::cast(TransferPriorityOf(plan))),
                        py::tuple(py::cast(plan.fusion_priority)),
                        Frozen(OrderOf(plan)),
                        Frozen(TransferOrderOf(plan)),
                        py::tuple(py::cast(plan.fusion_region)));
}

sim::Plan PlanOf(const py::tuple& state) {
  if (state.size() != 8) {
    throw InputError("pickled plan: it was pickled by another version of opyard");
  }
  sim::Plan plan = ToPlan({.placement = py::cast<std::vector<std::int64_t>>(state[0]),
                           .queue = py::cast<std::string>(state[1]),
                           .op_priority = py::cast<std::vector<std::int64_t>>(state[2]),
                           .fusion_priority = py::cast<std::vector<std::int64_t>>(state[4]),
                           .order = py::cast<OrderList>(state[5]),
                           .transfer_order = py::cast<TransferOrderLists>(py::dict(state[6])),
                           .fusion_region = py::cast<std::vector<std::int64_t>>(state[7])});
  plan.transfer_priority = ToTransferPriority(py::cast<TransferPriorityList>(state[3]));
  return plan;
}

std::string PlanText(const sim::Plan& plan) {
  std::set<DeviceId> devices(plan.placement.begin(), plan.placement.end());
  std::string text = "<opyard.Plan of " + CountText(plan.placement.size(), "op") + " on " +
                     CountText(devices.size(), "device") + ", queue " + NameOf(plan.queue);
  const auto add = [&](std::size_t count, const char* what) {
    text += count > 0 ? ", " + CountText(count, what) : "";
  };
  add(plan.op_priority.size(), "op priority");
  add(plan.transfer_priority.size(), "transfer priority");
  add(plan.fusion_priority.size(), "fusion priority");
  return text + ">";
}

void BindMachine(py::module_& module) {
  MachineClass machine(module, "Machine", R"(An immutable machine: devices, links, routes and rules.

Made by `load_machine`, or without a file by `from_dict`. Machines with the same figures are equal,
with equal hashes. Can be pickled, with all its figures: no file is needed to load it again.
)");
  machine
      .def_property_readonly(
          "name",
          [](const sim::HardwareProfile& self) { return self.name; },
          "The name that its file gives it.")
      .def_property_readonly(
          "num_devices", Getter(&sim::HardwareProfile::num_devices), "How many devices it has.")
      .def_property_readonly("device_names",
                             Getter(&sim::HardwareProfile::DeviceNames),
                             "The names of its devices, in the order of their indices.")
      .def("__len__", Getter(&sim::HardwareProfile::num_devices))
      .def("__repr__", [](const sim::HardwareProfile& self) {
        return "<opyard.Machine " + self.name + ": " + JoinNames(self.DeviceNames()) + ">";
      });
  BindNotebook(machine, "machine_html");
  BindCopies(machine);
  BindEquality(
      machine,
      [](const sim::HardwareProfile& a, const sim::HardwareProfile& b) {
        return sim::WriteMachineText(a) == sim::WriteMachineText(b);
      },
      [](const sim::HardwareProfile& self) {
        return py::make_tuple(self.name, py::tuple(py::cast(self.DeviceNames())));
      });
  machine.def(py::pickle(
      [](const sim::HardwareProfile& self) { return py::bytes(sim::WriteMachineText(self)); },
      [](const py::bytes& state) {
        return std::const_pointer_cast<sim::HardwareProfile>(
            sim::ReadMachineText(std::string_view(state), "pickled machine"));
      }));
  BindMachineValues(machine);
  module.def(
      "load_machine",
      [](const Reference& reference) {
        return std::const_pointer_cast<sim::HardwareProfile>(LoadMachine(ReferenceText(reference)));
      },
      py::arg("reference"),
      R"(Loads the machine that a reference names.

Warns of figures that are likely typed wrong (UserWarning).

Args:
    reference: A path, as text or as a path object, or a shipped name such as ``"p100x2-pcie"``.

Raises:
    InputError: There is none, or it is not legal.
)");
}

void BindPlanProperties(PlanClass& plan) {
  plan.def_property_readonly("placement", &PlacementOf, "The device index of each op.")
      .def_property_readonly(
          "queue",
          [](const sim::Plan& self) { return NameOf(self.queue); },
          "How ready ops queue: ``\"fifo\"``, ``\"priority\"``, ``\"program\"`` or ``\"order\"``.")
      .def_property_readonly(
          "op_priority",
          [](const sim::Plan& self) { return self.op_priority; },
          "The priority of each op, or empty if all are equal.")
      .def_property_readonly(
          "fusion_priority",
          [](const sim::Plan& self) { return self.fusion_priority; },
          "The fusion priority of each op, or empty if nothing fuses.")
      .def_property_readonly(
          "fusion_region",
          [](const sim::Plan& self) { return self.fusion_region; },
          "The region of each op, of one of which a kernel holds ops; empty if all are of one.")
      .def_property_readonly("order",
                             &OrderOf,
                             "The streams of each device, lists of op indices; empty unless the "
                             "queue is ``\"order\"``.")
      .def_property_readonly("transfer_order",
                             &TransferOrderOf,
                             "By channel, the index of a tensor and that of a device of each copy, "
                             "in the order in which they begin.")
      .def_property_readonly(
          "transfer_priority",
          &TransferPriorityOf,
          "The priority of copies, each with the index of its tensor and that of "
          "the device that it goes to; higher starts first.");
}

void BindDecisions(PlanClass& plan) {
  plan.def(py::init([](std::vector<std::int64_t> placement,
                       std::optional<std::string> queue,
                       std::vector<std::int64_t> op_priority,
                       std::vector<std::int64_t> fusion_priority,
                       OrderList order,
                       TransferOrderLists transfer_order,
                       const TransferPriorityList& transfer_priority,
                       std::vector<std::int64_t> fusion_region) {
             sim::Plan made = ToPlan({.placement = std::move(placement),
                                      .queue = std::move(queue),
                                      .op_priority = std::move(op_priority),
                                      .fusion_priority = std::move(fusion_priority),
                                      .order = std::move(order),
                                      .transfer_order = std::move(transfer_order),
                                      .fusion_region = std::move(fusion_region)});
             made.transfer_priority = ToTransferPriority(transfer_priority);
             return made;
           }),
           py::arg("placement"),
           py::arg("queue") = py::none(),
           py::arg("op_priority") = std::vector<std::int64_t>(),
           py::arg("fusion_priority") = std::vector<std::int64_t>(),
           py::arg("order") = OrderList(),
           py::arg("transfer_order") = TransferOrderLists(),
           py::arg("transfer_priority") = TransferPriorityList(),
           py::arg("fusion_region") = std::vector<std::int64_t>(),
           R"(Makes a plan; whether it fits a graph and a machine is checked where it is used.

Args:
    placement: One device index per op.
    queue: ``"fifo"``, ``"priority"``, ``"program"`` (each device runs its ops by topological
        index) or ``"order"``. By default ``"order"`` if order is given, ``"priority"`` if
        op_priority is.
    op_priority: One whole number in ±2^53 per op, higher runs first. Empty: all equal.
    fusion_priority: One whole number from 0 to 1,000,000 per op, higher fuses first, 0 never.
        Empty: nothing fuses.
    order: For queue ``"order"`` the streams of each device, each a list of op indices in the order
        of their start; every op once, on the device of its placement. Nothing overtakes the head
        of a stream, which may wait while its device is idle.
    transfer_order: Under any queue, for some channels, named as in the answers of `simulate`, the
        order in which copies begin to pass them: the indices of a tensor and of the device that
        the copy goes to. Other copies pass as they come.
    transfer_priority: For some copies the indices of a tensor and of the device that the copy goes
        to, and a whole number in ±2^53; higher starts first. Others have that of the ops that read
        them (docs/modelling.md, "Transfers").
    fusion_region: One whole number from 0 per op; a kernel holds ops of one region. Empty: all ops
        are of one.

Raises:
    InputError: A number that no plan holds, by its list and index.
)")
      .def(py::self == py::self)
      .def("__hash__", [](const sim::Plan& self) { return py::hash(PlanState(self)); })
      .def("__repr__", &PlanText);
}

void BindPlanFiles(py::module_& module, PlanClass& plan) {
  plan.def(
      "save",
      [](const sim::Plan& self,
         const std::filesystem::path& path,
         const GraphOrReference& graph,
         const MachineOrReference& hardware) {
        sim::WritePlanFile(self, *ToGraph(graph), *ToMachine(hardware), path);
      },
      py::arg("path"),
      py::arg("graph"),
      py::arg("hardware"),
      R"(Writes the plan as a file that `load_plan` and the command line read.

Args:
    path: The file to write, ``*.plan.json``; packed if it ends in ``.gz``.
    graph: The graph that it is for, or its reference.
    hardware: The machine that it is for, or its reference.

Raises:
    PlanError: It does not fit the graph and the machine.
    InputError: The file cannot be written.
)");
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
      R"(Reads a plan file.

Args:
    path: A ``*.plan.json`` file, as `Plan.save` and ``opyard place`` write it.
    graph: The graph that it is for, or its reference.
    hardware: The machine that it is for, or its reference.

Raises:
    InputError: It cannot be read, or does not fit the graph and the machine.
)");
}

PlanClass BindPlan(py::module_& module) {
  PlanClass plan(
      module, "Plan", R"(Every decision that the simulator executes, as an immutable value.

Equal decisions are equal plans with equal hashes. Nothing fuses unless `fusion_priority` is given;
`Problem.plan` makes plans that fuse as those of agents do.
)");
  BindDecisions(plan);
  BindPlanProperties(plan);
  BindCopies(plan);
  plan.def(py::pickle(&PlanState, &PlanOf));
  BindPlanFiles(module, plan);
  return plan;
}

}  // namespace

PlanClass BindSim(py::module_& module) {
  BindMachine(module);
  return BindPlan(module);
}

}  // namespace opyard::bindings
