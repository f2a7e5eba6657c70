// opyard._core.op_seconds: what ops take on devices by a cost model.
#include <string>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "sim/cost/cost_models.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

py::array_t<double> OpSeconds(const GraphOrReference& graph,
                              const MachineOrReference& hardware,
                              const std::string& cost_model) {
  const auto ops = ToGraph(graph);
  const auto machine = ToMachine(hardware);
  std::vector<double> seconds;
  {
    const py::gil_scoped_release released;
    const auto model = sim::MakeCostModel(cost_model);
    seconds.reserve(ops->num_ops() * machine->num_devices());
    for (std::size_t op = 0; op < ops->num_ops(); ++op) {
      for (const sim::Device& device : machine->devices) {
        seconds.push_back(model->Cost(*ops, OpId(op), device).total_s);
      }
    }
  }
  return ToArray(
      seconds,
      {static_cast<py::ssize_t>(ops->num_ops()), static_cast<py::ssize_t>(machine->num_devices())});
}

}  // namespace

void BindCosts(py::module_& module) {
  module.def("op_seconds",
             &OpSeconds,
             py::arg("graph"),
             py::arg("hardware"),
             py::kw_only(),
             py::arg("cost_model") = sim::kDefaultCostModel,
             R"(What each op takes on each device, alone and unfused, by the equations of
docs/modelling.md, "The time of one op"; not rounded to picoseconds.

Args:
    graph: A Graph, or the name or path of one.
    hardware: A Machine, or the name or path of one.
    cost_model: ``"roofline"``, or ``"peak_roofline"``, that of the data sheet.

Returns:
    float64 [num_ops, num_devices] in seconds, also where an op may not run.

Raises:
    InputError: For an unknown cost model, graph or machine.
)");
}

}  // namespace opyard::bindings
