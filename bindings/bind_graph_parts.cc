// opyard._core.Op and Tensor: single parts of a graph; and all parts as arrays.
#include <memory>
#include <string>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

using GraphPointer = std::shared_ptr<const sim::OpGraph>;

// An op or a tensor as Python holds it: keeps its graph.
struct PythonOp {
  GraphPointer graph;
  OpId id;

  [[nodiscard]] const sim::Op& op() const { return graph->op(id); }
};
struct PythonTensor {
  GraphPointer graph;
  TensorId id;

  [[nodiscard]] const sim::Tensor& tensor() const { return graph->tensor(id); }
};

template <class Ids>
std::vector<std::int32_t> IndicesOf(const Ids& ids) {
  std::vector<std::int32_t> indices;
  for (const auto id : ids) {
    indices.push_back(id.value);
  }
  return indices;
}

// [2, num_edges]: the ops from which edges come, then those to which they go.
py::array_t<std::int64_t> EdgeArray(const std::vector<std::int64_t>& from,
                                    const std::vector<std::int64_t>& to) {
  std::vector<std::int64_t> both = from;
  both.insert(both.end(), to.begin(), to.end());
  return ToArray(both, {2, static_cast<py::ssize_t>(from.size())});
}

void AddEdges(const sim::OpGraph& graph, py::dict& arrays) {
  std::vector<std::int64_t> producers;
  std::vector<std::int64_t> consumers;
  std::vector<std::int64_t> tensors;
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    for (const TensorId tensor : graph.inputs(OpId(i))) {
      producers.push_back(graph.tensor(tensor).producer.value);
      consumers.push_back(static_cast<std::int64_t>(i));
      tensors.push_back(tensor.value);
    }
    for (const OpId op : graph.control_inputs(OpId(i))) {
      before.push_back(op.value);
      after.push_back(static_cast<std::int64_t>(i));
    }
  }
  arrays["edge_index"] = EdgeArray(producers, consumers);
  arrays["edge_tensor"] =
      ArrayOf<std::int64_t>(tensors, [](std::int64_t tensor) { return tensor; });
  arrays["control_edge_index"] = EdgeArray(before, after);
}

py::dict ArraysOf(const sim::OpGraph& graph) {
  const auto ops = graph.ops();
  const auto tensors = graph.tensors();
  const auto bytes_of_ops = [&](Bytes sim::Op::*field) {
    return ArrayOf<std::int64_t>(ops, [field](const sim::Op& op) { return (op.*field).count; });
  };
  py::dict arrays;
  arrays["op_flops"] = ArrayOf<double>(ops, [](const sim::Op& op) { return op.flops.count; });
  arrays["op_bytes_accessed"] = bytes_of_ops(&sim::Op::bytes_accessed);
  arrays["op_param_bytes"] = bytes_of_ops(&sim::Op::param_bytes);
  arrays["op_weight_bytes"] = bytes_of_ops(&sim::Op::weight_bytes);
  arrays["op_workspace_bytes"] = bytes_of_ops(&sim::Op::workspace_bytes);
  arrays["topological_order"] =
      ArrayOf<std::int64_t>(graph.topological_order(), [](OpId op) { return op.value; });
  arrays["tensor_bytes"] =
      ArrayOf<std::int64_t>(tensors, [](const sim::Tensor& t) { return t.bytes.count; });
  arrays["tensor_producer"] =
      ArrayOf<std::int64_t>(tensors, [](const sim::Tensor& t) { return t.producer.value; });
  AddEdges(graph, arrays);
  return arrays;
}

std::vector<std::string> DeviceKindsOf(const PythonOp& self) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < sim::kNumDeviceKinds; ++i) {
    const auto kind = static_cast<sim::DeviceKind>(i);
    if (self.op().device_kinds.Contains(kind)) {
      kinds.emplace_back(sim::NameOf(kind));
    }
  }
  return kinds;
}

std::optional<std::string> ColocationOf(const PythonOp& self) {
  const std::optional<std::int32_t> label = self.op().colocation;
  return label.has_value()
             ? std::optional(self.graph->colocation_labels()[static_cast<std::size_t>(*label)])
             : std::nullopt;
}

std::optional<std::string> ModuleOf(const PythonOp& self) {
  const std::optional<std::int32_t> path = self.op().module;
  return path.has_value()
             ? std::optional(self.graph->module_paths()[static_cast<std::size_t>(*path)])
             : std::nullopt;
}

py::dict SecondsOf(const PythonOp& self) {
  py::dict seconds;
  for (const sim::MeasuredTime& measured : self.graph->measured_times(self.id)) {
    seconds[py::str(measured.where)] = measured.seconds;
  }
  return seconds;
}

std::vector<std::int32_t> OutputsOf(const PythonOp& self) {
  std::vector<std::int32_t> outputs;
  for (std::size_t i = 0; i < self.graph->num_outputs(self.id); ++i) {
    outputs.push_back(self.graph->output(self.id, i).value);
  }
  return outputs;
}

const char* NameOf(sim::Alias alias) {
  return alias == sim::Alias::kNone ? "none" : alias == sim::Alias::kInput ? "input" : "params";
}

using OpClass = py::class_<PythonOp>;

// A property that `get` makes of the sim::Op.
template <class Get>
void AddFigure(OpClass& op, const char* name, Get get, const char* meaning) {
  op.def_property_readonly(
      name, [get](const PythonOp& self) { return get(self.op()); }, meaning);
}

void BindOpFigures(OpClass& op) {
  AddFigure(
      op, "name", [](const sim::Op& o) { return o.name; }, "Unique in its graph.");
  AddFigure(
      op, "type", [](const sim::Op& o) { return o.type; }, "What it does: ``\"MatMul\"``.");
  AddFigure(
      op,
      "flops",
      [](const sim::Op& o) { return o.flops.count; },
      "Floating-point operations of one run; a multiply-add counts as two.");
  AddFigure(
      op,
      "bytes_accessed",
      [](const sim::Op& o) { return o.bytes_accessed.count; },
      "Memory traffic of one run, in bytes.");
  AddFigure(
      op,
      "param_bytes",
      [](const sim::Op& o) { return o.param_bytes.count; },
      "Weights and optimiser state in bytes, resident for the whole step.");
  AddFigure(
      op,
      "weight_bytes",
      [](const sim::Op& o) { return o.weight_bytes.count; },
      "What one run reads of its own parameters, in bytes.");
  AddFigure(
      op,
      "workspace_bytes",
      [](const sim::Op& o) { return o.workspace_bytes.count; },
      "Held while it runs, in bytes.");
  AddFigure(
      op,
      "release",
      [](const sim::Op& o) { return o.release.seconds(); },
      "The earliest instant at which it may be ready, in seconds.");
  AddFigure(
      op, "dtype", [](const sim::Op& o) { return sim::NameOf(o.dtype); }, "What it computes in.");
  AddFigure(
      op,
      "phase",
      [](const sim::Op& o) { return sim::NameOf(o.phase); },
      "``\"forward\"``, ``\"backward\"``, ``\"update\"`` or ``\"unknown\"``.");
  AddFigure(
      op,
      "fusion_class",
      [](const sim::Op& o) { return sim::NameOf(o.fusion_class); },
      "Its part in a fused kernel: ``\"elementwise\"``, ``\"heavy\"`` and the like.");
  AddFigure(
      op, "layer", [](const sim::Op& o) { return o.layer; }, "The layer it belongs to, or None.");
}

void BindOp(py::module_& module) {
  OpClass op(module, "Op", "One op of a graph: what `Graph.op` gives.");
  op.def_property_readonly(
      "index", [](const PythonOp& self) { return self.id.value; }, "Its place in the graph.");
  BindOpFigures(op);
  op.def_property_readonly(
        "module", &ModuleOf, "The dotted path of its module, \"\" for the network itself, or None.")
      .def_property_readonly(
          "colocation", &ColocationOf, "The label of ops that share its device, or None.")
      .def_property_readonly(
          "device_kinds", &DeviceKindsOf, "The kinds of devices that it may run on.")
      .def_property_readonly(
          "seconds",
          &SecondsOf,
          "Measured run times: seconds by device name, device type, device kind or ``\"*\"``.")
      .def_property_readonly(
          "inputs",
          [](const PythonOp& self) { return IndicesOf(self.graph->inputs(self.id)); },
          "The tensors it reads, by index, in argument order; one may appear twice.")
      .def_property_readonly("outputs", &OutputsOf, "The tensors it makes, by index, in order.")
      .def_property_readonly(
          "control_inputs",
          [](const PythonOp& self) { return IndicesOf(self.graph->control_inputs(self.id)); },
          "The ops, by index, that must finish before it without giving it a tensor.")
      .def("__repr__", [](const PythonOp& self) {
        return "<opyard.Op " + std::to_string(self.id.value) + ": " + self.op().name + ", " +
               self.op().type + ">";
      });
}

void BindTensor(py::module_& module) {
  py::class_<PythonTensor>(module, "Tensor", "One tensor of a graph: what `Graph.tensor` gives.")
      .def_property_readonly(
          "index",
          [](const PythonTensor& self) { return self.id.value; },
          "Its place in the graph.")
      .def_property_readonly(
          "producer",
          [](const PythonTensor& self) { return self.tensor().producer.value; },
          "The op that makes it, by index.")
      .def_property_readonly(
          "output_index",
          [](const PythonTensor& self) { return self.tensor().output_index; },
          "Which of the producer's outputs it is, from 0.")
      .def_property_readonly(
          "bytes",
          [](const PythonTensor& self) { return self.tensor().bytes.count; },
          "Its size in bytes.")
      .def_property_readonly(
          "shape",
          [](const PythonTensor& self) {
            const auto shape = self.graph->shape(self.id);
            return py::tuple(py::cast(std::vector<std::int64_t>(shape.begin(), shape.end())));
          },
          "Its sizes, outermost first; empty for a scalar, and where no shape is known.")
      .def_property_readonly(
          "dtype",
          [](const PythonTensor& self) { return sim::NameOf(self.tensor().dtype); },
          "The type of its elements.")
      .def_property_readonly(
          "alias",
          [](const PythonTensor& self) { return NameOf(self.tensor().alias); },
          "Whose storage it uses: ``\"none\"`` (its own), ``\"input\"`` or ``\"params\"``.")
      .def_property_readonly(
          "aliased",
          [](const PythonTensor& self) {
            return self.tensor().alias == sim::Alias::kInput
                       ? std::optional(self.tensor().aliased.value)
                       : std::nullopt;
          },
          "The tensor, by index, whose storage it shares if `alias` is ``\"input\"``, else None.")
      .def_property_readonly(
          "is_kept",
          [](const PythonTensor& self) { return self.tensor().keep; },
          "True for an output of the graph, held to the end.")
      .def_property_readonly(
          "consumers",
          [](const PythonTensor& self) { return IndicesOf(self.graph->consumers(self.id)); },
          "The ops that read it, by index, each once.")
      .def("__repr__", [](const PythonTensor& self) {
        return "<opyard.Tensor " + std::to_string(self.id.value) + ": output " +
               std::to_string(self.tensor().output_index) + " of " +
               self.graph->op(self.tensor().producer).name + ">";
      });
}

template <class Part>
std::vector<Part> AllOf(const GraphPointer& graph, std::size_t count) {
  std::vector<Part> parts;
  parts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back({graph, decltype(Part::id)(i)});
  }
  return parts;
}

std::size_t IndexBelow(const char* what, std::int64_t index, std::size_t count) {
  return static_cast<std::size_t>(InRange(what, index, 0, static_cast<std::int64_t>(count) - 1));
}

}  // namespace

void BindGraphParts(py::module_& module, GraphClass& graph) {
  BindOp(module);
  BindTensor(module);
  const auto self = py::arg("self").none(false);
  graph
      .def_property_readonly(
          "ops",
          py::cpp_function([](const GraphPointer& g) { return AllOf<PythonOp>(g, g->num_ops()); },
                           self),
          "All ops, in the order of indices; made anew at each call.")
      .def_property_readonly(
          "tensors",
          py::cpp_function(
              [](const GraphPointer& g) { return AllOf<PythonTensor>(g, g->num_tensors()); }, self),
          "All tensors, in the order of indices; made anew at each call.")
      .def(
          "op",
          [](const GraphPointer& g, std::int64_t index) {
            return PythonOp{g, OpId(IndexBelow("op", index, g->num_ops()))};
          },
          py::arg("index"),
          R"(The op at an index.

Args:
    index: From 0 to ``num_ops - 1``.

Raises:
    InputError: There is none.
)")
      .def(
          "tensor",
          [](const GraphPointer& g, std::int64_t index) {
            return PythonTensor{g, TensorId(IndexBelow("tensor", index, g->num_tensors()))};
          },
          py::arg("index"),
          R"(The tensor at an index.

Args:
    index: From 0 to ``num_tensors - 1``.

Raises:
    InputError: There is none.
)")
      .def("arrays",
           &ArraysOf,
           R"(The graph as NumPy arrays, fresh copies that share nothing with it.

Returns:
    ``op_flops`` (float64), ``op_bytes_accessed``, ``op_param_bytes``, ``op_weight_bytes``,
    ``op_workspace_bytes``: [num_ops], all but the first int64, in bytes.
    ``topological_order``: int64 [num_ops], op indices.
    ``tensor_bytes``, ``tensor_producer``: int64 [num_tensors]; bytes, op indices.
    ``edge_index``: int64 [2, num_data_edges]; producing op, reading op. ``edge_tensor``: int64
    [num_data_edges], the tensor that each carries.
    ``control_edge_index``: int64 [2, num_control_edges]; first op, then the one that waits.
)");
}

}  // namespace opyard::bindings
