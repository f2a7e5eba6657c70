// opyard._core.GraphBuilder: graphs/builder for readers that are written in Python.
#include <array>
#include <memory>
#include <optional>
#include <string>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "graphs/builder/graph_builder.h"
#include "graphs/zoo/training_step.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/graph_json.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

using graphs::GraphBuilder;
using graphs::Shape;
using graphs::Tensor;
using graphs::Window;

sim::DType ToDType(const std::string& name) {
  const auto dtype = sim::FindDType(name);
  if (!dtype) {
    throw InputError("dtype: " + Quoted(name) + " is none");
  }
  return *dtype;
}

graphs::Transposed ToTransposed(const std::string& which) {
  if (which != "none" && which != "first" && which != "second") {
    throw InputError("transposed: found " + Quoted(which) + ", expected none, first, second");
  }
  return which == "none"    ? graphs::Transposed::kNone
         : which == "first" ? graphs::Transposed::kFirst
                            : graphs::Transposed::kSecond;
}

// `with builder.scope(name):`
class PythonScope {
 public:
  PythonScope(GraphBuilder& builder, std::string name)
      : builder_(builder), name_(std::move(name)) {}
  void Enter() { scope_.emplace(builder_, name_); }
  void Exit() { scope_.reset(); }

 private:
  GraphBuilder& builder_;
  std::string name_;
  std::optional<GraphBuilder::Scope> scope_;
};

void BindParts(py::module_& module) {
  py::class_<Tensor>(module, "Tensor", "An output of an op of a GraphBuilder.")
      .def_property_readonly("shape",
                             [](const Tensor& tensor) { return py::tuple(py::cast(tensor.shape)); })
      .def_property_readonly(
          "dtype", [](const Tensor& tensor) { return std::string(sim::NameOf(tensor.dtype)); });
  py::class_<Window>(module, "Window", "How a filter or a pooling window moves; two numbers each.")
      .def(py::init([](const std::array<std::int64_t, 2>& extents,
                       const std::array<std::int64_t, 2>& strides,
                       const std::array<std::int64_t, 2>& pads,
                       const std::array<std::int64_t, 2>& dilations,
                       std::int64_t groups) {
             return Window{.height = extents[0],
                           .width = extents[1],
                           .stride_h = strides[0],
                           .stride_w = strides[1],
                           .pad_h = pads[0],
                           .pad_w = pads[1],
                           .dilation_h = dilations[0],
                           .dilation_w = dilations[1],
                           .groups = groups};
           }),
           py::kw_only(),
           py::arg("extents"),
           py::arg("strides"),
           py::arg("pads"),
           py::arg("dilations"),
           py::arg("groups") = 1);
  py::class_<PythonScope>(module, "Scope")
      .def("__enter__", &PythonScope::Enter)
      .def("__exit__", [](PythonScope& scope, const py::args&) { scope.Exit(); });
}

using BuilderClass = py::class_<GraphBuilder>;

void BindSources(BuilderClass& builder) {
  builder.def(py::init<std::string, std::string>(), py::arg("name"), py::arg("origin"))
      .def(
          "scope",
          [](GraphBuilder& b, std::string name) {
            return std::make_unique<PythonScope>(b, std::move(name));
          },
          py::keep_alive<0, 1>())
      .def("placeholder",
           [](GraphBuilder& b,
              const std::string& name,
              const Shape& shape,
              const std::string& type) { return b.Placeholder(name, shape, ToDType(type)); })
      .def("weight",
           [](GraphBuilder& b,
              const std::string& name,
              const Shape& shape,
              const std::string& type) { return b.Weight(name, shape, ToDType(type)); })
      .def("constant",
           [](GraphBuilder& b,
              const std::string& name,
              const Shape& shape,
              const std::string& type) { return b.Constant(name, shape, ToDType(type)); });
}

void BindArithmetic(BuilderClass& builder) {
  builder
      .def("unary",
           [](GraphBuilder& b, const std::string& type, const Tensor& x) {
             return b.Unary(type, x);
           })
      .def("binary",
           [](GraphBuilder& b, const std::string& type, const Tensor& x, const Tensor& y) {
             return b.Binary(type, x, y);
           })
      .def("cast",
           [](GraphBuilder& b, const Tensor& x, const std::string& type) {
             return b.Cast(x, ToDType(type));
           })
      .def("select", &GraphBuilder::Select)
      .def("bias_add", &GraphBuilder::BiasAdd, py::arg("x"), py::arg("bias"), py::arg("axis"))
      .def("dropout", &GraphBuilder::Dropout)
      .def(
          "matmul",
          [](GraphBuilder& b, const Tensor& x, const Tensor& y, const std::string& transposed) {
            return b.MatMul(x, y, ToTransposed(transposed));
          },
          py::arg("x"),
          py::arg("y"),
          py::arg("transposed") = "none")
      .def("conv", &GraphBuilder::Conv)
      .def("conv_transpose", &GraphBuilder::ConvTranspose)
      .def("pool",
           [](GraphBuilder& b, const std::string& type, const Tensor& image, const Window& window) {
             return b.Pool(type, image, window);
           })
      .def(
          "reduce",
          [](GraphBuilder& b,
             const std::string& type,
             const Tensor& x,
             const Shape& axes,
             bool keep) { return keep ? b.ReduceKeeping(type, x, axes) : b.Reduce(type, x, axes); },
          py::arg("type"),
          py::arg("x"),
          py::arg("axes"),
          py::kw_only(),
          py::arg("keep_dims"))
      .def("batch_norm", &graphs::FusedBatchNorm)
      .def("layer_norm",
           [](GraphBuilder& b, const Tensor& x, const Tensor& scale, const Tensor& offset) {
             return b.output(b.Append({.type = "LayerNorm", .inputs = {x, scale, offset}}));
           })
      .def("mean_cross_entropy", &graphs::MeanCrossEntropy);
}

void BindMovement(BuilderClass& builder) {
  builder.def("reshape", &GraphBuilder::Reshape)
      .def("transpose", &GraphBuilder::Transpose)
      .def("concat", &GraphBuilder::Concat)
      .def("split", &GraphBuilder::Split)
      .def("slice", &GraphBuilder::Slice)
      .def("pad", &GraphBuilder::Pad)
      .def("tile", &GraphBuilder::Tile)
      .def("gather", &GraphBuilder::Gather);
}

}  // namespace

void BindBuilder(py::module_& module) {
  BindParts(module);
  BuilderClass builder(module,
                       "GraphBuilder",
                       "Writes down a forward pass, one typed call per op; `train` adds the rest.\n"
                       "Shapes are checked at each call (InputError).");
  BindSources(builder);
  BindArithmetic(builder);
  BindMovement(builder);
  builder.def(
      "train",
      [](GraphBuilder& b, const Tensor& loss, const std::string& optimizer) {
        return std::const_pointer_cast<sim::OpGraph>(graphs::FinishTraining(
            b, loss, {.rule = graphs::GetUpdateRule(optimizer), .ops = graphs::UpdateOps::kFused}));
      },
      py::arg("loss"),
      py::arg("optimizer"),
      "The graph of a training step: forward, the backward pass of scalar `loss`, and one update\n"
      "per weight by \"sgd\", \"momentum\", \"adam\" or \"rmsprop\". The builder is empty then.");
  module.def(
      "write_graph",
      [](const sim::OpGraph& graph, const std::filesystem::path& path) {
        sim::WriteGraphFile(graph, path);
      },
      py::arg("graph"),
      py::arg("path"),
      "Writes `graph` as opyard-graph/1, packed if `path` ends in .gz.");
}

}  // namespace opyard::bindings
