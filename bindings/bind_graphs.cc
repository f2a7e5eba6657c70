// opyard._core.Graph: the graph as a whole.
#include <memory>
#include <string>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "sim/graph/op_graph.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

// The name and the sizes of a graph: the same for equal graphs, at no cost.
py::tuple SizesOf(const sim::OpGraph& graph) {
  return py::make_tuple(graph.name(),
                        graph.num_ops(),
                        graph.num_tensors(),
                        graph.num_data_edges(),
                        graph.num_control_edges());
}

void BindLoading(py::module_& module) {
  module.def(
      "load_graph",
      [](const Reference& reference) {
        const py::gil_scoped_release released;
        return std::const_pointer_cast<sim::OpGraph>(LoadGraph(ReferenceText(reference)));
      },
      py::arg("reference"),
      R"(Loads the graph that a reference names.

Warns of what the file of another tool leaves open (UserWarning).

Args:
    reference: A path, as text or as a path object, a shipped name such as ``"inception_v3"``, or a
        generated one such as ``"random:layered?n=64&seed=0"``.

Raises:
    InputError: There is none, or it is not legal.
)");
  module.def(
      "write_graph",
      [](const sim::OpGraph& graph, const std::filesystem::path& path) {
        sim::WriteGraphFile(graph, path);
      },
      py::arg("graph"),
      py::arg("path"),
      R"(Writes a graph as opyard-graph/1.

Args:
    graph: What to write.
    path: The file, packed if it ends in ``.gz``.

Raises:
    InputError: The file cannot be written.
)");
}

}  // namespace

void BindGraphs(py::module_& module) {
  GraphClass graph(module, "Graph", R"(An immutable graph of ops and the tensors they make.

Made by `load_graph`, or without a file by `from_dict`, `from_arrays` or `from_networkx`. Ops and
tensors have indices; `op` and `tensor` describe one, `arrays` has all of them as numbers.
``len(graph)`` is the number of ops. Graphs that hold the same are equal, with equal hashes. Can be
pickled, with all it holds: no file is needed to load it again.
)");
  graph.def_property_readonly("name", Getter(&sim::OpGraph::name), "Its name.")
      .def_property_readonly(
          "origin", Getter(&sim::OpGraph::origin), "Where it comes from, in words; may be empty.")
      .def_property_readonly(
          "measured",
          [](const sim::OpGraph& self) { return std::string(sim::NameOf(self.measured())); },
          "What the measured times of its ops hold: \"with_launch\" or \"kernel\".")
      .def_property_readonly("num_ops", Getter(&sim::OpGraph::num_ops), "How many ops it has.")
      .def_property_readonly(
          "num_tensors", Getter(&sim::OpGraph::num_tensors), "How many tensors its ops make.")
      .def_property_readonly("num_data_edges",
                             Getter(&sim::OpGraph::num_data_edges),
                             "How many arguments its ops have, all together.")
      .def_property_readonly("num_control_edges",
                             Getter(&sim::OpGraph::num_control_edges),
                             "How many pairs of ops are ordered without a tensor between them.")
      .def_property_readonly(
          "op_names",
          [](const sim::OpGraph& self) {
            py::list names;
            for (const sim::Op& op : self.ops()) {
              names.append(op.name);
            }
            return names;
          },
          "The name of each op, in the order of indices.")
      .def("__len__", Getter(&sim::OpGraph::num_ops))
      .def("__repr__", [](const sim::OpGraph& self) {
        return "<opyard.Graph " + self.name() + ", " + std::to_string(self.num_ops()) + " ops>";
      });
  BindNotebook(graph, "graph_html");
  BindCopies(graph);
  BindEquality(
      graph,
      [](const sim::OpGraph& a, const sim::OpGraph& b) {
        return SizesOf(a).equal(SizesOf(b)) && sim::WriteGraphText(a) == sim::WriteGraphText(b);
      },
      &SizesOf);
  graph.def(
      py::pickle([](const sim::OpGraph& self) { return py::bytes(sim::WriteGraphText(self)); },
                 [](const py::bytes& state) {
                   return std::const_pointer_cast<sim::OpGraph>(
                       sim::ReadGraphText(std::string_view(state), "pickled graph"));
                 }));
  BindGraphParts(module, graph);
  BindGraphValues(module, graph);
  BindLoading(module);
}

}  // namespace opyard::bindings
