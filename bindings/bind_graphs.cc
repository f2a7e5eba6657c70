#include <memory>
#include <string>

#include "bindings/bindings.h"
#include "sim/graph/op_graph.h"

namespace opyard::bindings {

namespace py = pybind11;

void BindGraphs(py::module_& module) {
  py::class_<sim::OpGraph, std::shared_ptr<sim::OpGraph>>(
      module, "Graph", "An immutable graph of ops and tensors.")
      .def_property_readonly("name", &sim::OpGraph::name)
      .def_property_readonly("origin", &sim::OpGraph::origin)
      .def_property_readonly(
          "measured",
          [](const sim::OpGraph& graph) { return std::string(sim::NameOf(graph.measured())); },
          "What the measured times of ops hold: \"with_launch\" or \"kernel\".")
      .def_property_readonly("num_ops", &sim::OpGraph::num_ops)
      .def_property_readonly("num_tensors", &sim::OpGraph::num_tensors)
      .def_property_readonly("num_data_edges", &sim::OpGraph::num_data_edges)
      .def_property_readonly("num_control_edges", &sim::OpGraph::num_control_edges)
      .def_property_readonly("op_names",
                             [](const sim::OpGraph& graph) {
                               py::list names;
                               for (const sim::Op& op : graph.ops()) {
                                 names.append(op.name);
                               }
                               return names;
                             })
      .def("__len__", &sim::OpGraph::num_ops)
      .def("__repr__", [](const sim::OpGraph& graph) {
        return "<opyard.Graph " + graph.name() + ", " + std::to_string(graph.num_ops()) + " ops>";
      });
  module.def(
      "load_graph",
      [](const std::string& reference) {
        const py::gil_scoped_release released;
        return std::const_pointer_cast<sim::OpGraph>(LoadGraph(reference));
      },
      py::arg("reference"),
      "The graph that a reference names: a path, a shipped name, or a generated one such as\n"
      "\"random:layered?n=64&seed=0\". Warns of what the file of another tool leaves open. Raises\n"
      "InputError if there is none or it is not legal.");
}

}  // namespace opyard::bindings
