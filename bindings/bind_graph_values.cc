// opyard._core.Graph from a dict, arrays or a graph of networkx, and back.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/graph_arrays.h"
#include "bindings/python_values.h"
#include "experiments/graphs/import_text.h"
#include "graphs/exporters/graphml.h"
#include "graphs/importers/importers.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

std::shared_ptr<sim::OpGraph> Shared(std::shared_ptr<const sim::OpGraph> graph) {
  return std::const_pointer_cast<sim::OpGraph>(std::move(graph));
}

void BindDicts(GraphClass& graph) {
  graph.def_static(
      "from_dict",
      [](const py::dict& values) {
        const std::string text = JsonOf(values, "graph#").dump();
        const py::gil_scoped_release released;
        return Shared(sim::ReadGraphText(text, "graph"));
      },
      py::arg("values"),
      R"(Makes a graph from a dict.

It holds what a graph file holds (docs/formats.md, "Graph"), with lists or arrays and numbers of
Python or NumPy.

Args:
    values: The graph, such as ``{"format": "opyard-graph/1", "name": "two", "ops": [{"name": "a",
        "type": "MatMul", "flops": 2e9, "outputs": [{"bytes": 4096}]}, {"name": "b", "type": "Relu",
        "inputs": [[0, 0]]}]}``.

Raises:
    InputError: It is no legal graph. All errors are reported at once, each with its place, as
        ``graph#/ops/3/inputs/0``.
)");
  graph.def(
      "to_dict",
      [](const sim::OpGraph& self) {
        return py::module_::import("json").attr("loads")(sim::WriteGraphText(self));
      },
      "The graph as a dict, from which `from_dict` makes an equal one.");
}

// Any mapping as a dict, such as what numpy.load makes of an .npz file.
py::dict DictOf(const py::object& arrays) {
  if (!py::isinstance(arrays, py::module_::import("collections.abc").attr("Mapping"))) {
    throw py::type_error("arrays: found " + py::cast<std::string>(py::repr(py::type::of(arrays))) +
                         ", expected a dict of arrays");
  }
  return py::dict(arrays);
}

void BindFromArrays(GraphClass& graph) {
  graph.def_static(
      "from_arrays",
      [](const py::object& arrays,
         const std::string& name,
         const std::optional<std::vector<std::string>>& op_names,
         const std::optional<std::vector<std::string>>& op_types,
         const py::object& op_seconds) {
        return Shared(GraphOfArrays(
            DictOf(arrays),
            {.name = name, .names = op_names, .types = op_types, .seconds = op_seconds}));
      },
      py::arg("arrays"),
      py::kw_only(),
      py::arg("name") = "graph",
      py::arg("op_names") = py::none(),
      py::arg("op_types") = py::none(),
      py::arg("op_seconds") = py::none(),
      R"(Makes a graph from arrays, by the keys, shapes and units of `arrays`.

``Graph.from_arrays(graph.arrays())`` has equal arrays. Whole numbers are of any integer type.
Beside those listed, `arrays` may hold `op_bytes_accessed`, `op_param_bytes`, `op_weight_bytes`,
`op_workspace_bytes` (by default what graph files have by default), `control_edge_index` (none) and
`topological_order`, which follows from the edges and is not read.

Args:
    arrays: `op_flops`: [num_ops]. `tensor_bytes`, `tensor_producer`: [num_tensors], in the order of
        the ops that make them. `edge_index`: [2, edges], producing op, reading op; the edges of a
        reader are in argument order. `edge_tensor`: [edges].
    name: The name of the graph.
    op_names: One text per op, each once; by default ``op0``, ``op1`` and so on.
    op_types: One text per op; by default ``"Task"``, which never fuses.
    op_seconds: [num_ops], the run time of each op on any device, in place of that of the cost
        model; NaN where that counts.

Raises:
    InputError: A key, a dtype, a shape or a number that is not legal, each with its place, as
        ``arrays#/edge_index/0/3``; or a cycle.
)");
}

std::shared_ptr<sim::OpGraph> ReadGraphml(const py::bytes& text,
                                          const std::string& name,
                                          double seconds_per_cost,
                                          double bytes_per_size) {
  const std::string_view view = text;
  graphs::ImportedGraph imported;
  {
    const py::gil_scoped_release released;
    imported = graphs::ImportGraph(
        {.bytes = view, .place = name, .stem = name},
        name,
        "graphml",
        Options({{"seconds_per_cost", seconds_per_cost}, {"bytes_per_size", bytes_per_size}}));
  }
  if (!imported.summary.unknown.all().empty()) {
    Warn(name + ": it lacks data that a simulation needs\n" +
         experiments::ImportText(imported.summary));
  }
  return Shared(imported.graph);
}

void BindNetworkx(py::module_& module, GraphClass& graph) {
  module.def("read_graphml",
             &ReadGraphml,
             py::arg("text"),
             py::arg("name"),
             py::kw_only(),
             py::arg("seconds_per_cost") = 1e-6,
             py::arg("bytes_per_size") = 1.0,
             "Reads a GraphML text. `name` stands for the file's name in messages, and is the\n"
             "graph's where the text gives none. Raises InputError.");
  module.def(
      "graphml_text",
      [](const sim::OpGraph& self) { return graphs::GraphmlText(self); },
      py::arg("graph"),
      "The graph as GraphML. Raises InputError for a name that XML cannot hold.");
  graph.def_static(
      "from_networkx",
      [](const py::object& source, double seconds_per_cost, double bytes_per_size) {
        return py::module_::import("opyard.networkx_graphs")
            .attr("graph_of")(source, seconds_per_cost, bytes_per_size);
      },
      py::arg("source"),
      py::kw_only(),
      py::arg("seconds_per_cost") = 1e-6,
      py::arg("bytes_per_size") = 1.0,
      R"(Makes a graph from one of networkx: an op per node, in their order, a tensor per edge.

Attributes mean what they mean in GraphML (docs/importing.md, "GraphML"). Of nodes, all keys of an
op in graph files, `outputs`, `device_kinds` and blocks of shapes as lists and dicts, `seconds` as a
dict by device or as a number for any device; or `cost`, `weight` or `time`, times
`seconds_per_cost`. Of edges, `bytes`, or `size` or `weight`, times `bytes_per_size`; `output` of
the source, `input` of the target, `control`. The key of a node names the op that has no `name`.
By default an op is opaque, does no FLOPs and moves its tensors, and a tensor is as large as the
largest of the graph. Warns of what it assumed (UserWarning).

Args:
    source: A ``networkx.DiGraph`` or ``MultiDiGraph`` without cycles.
    seconds_per_cost: What a unit of `cost` is, in seconds.
    bytes_per_size: What a unit of `size` is, in bytes.

Raises:
    InputError: It is no legal graph; errors name the node or edge and the attribute.
)");
  graph.def(
      "to_networkx",
      [](const py::object& self) {
        return py::module_::import("opyard.networkx_graphs").attr("networkx_of")(self);
      },
      R"(The graph as one of networkx, from which `from_networkx` makes an equal one.

Nodes are the indices of ops, attributes those of `from_networkx`, lists and dicts as JSON texts.

Returns:
    A ``networkx.DiGraph``, or a ``MultiDiGraph`` if two edges join the same ops.

Raises:
    InputError: A name has control characters.
    ImportError: networkx is not installed.
)");
}

}  // namespace

void BindGraphValues(py::module_& module, GraphClass& graph) {
  BindDicts(graph);
  BindFromArrays(graph);
  BindNetworkx(module, graph);
}

}  // namespace opyard::bindings
