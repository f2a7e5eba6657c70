// opyard._core.GraphBuilder: graphs/builder for readers that are written in Python.
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "graphs/builder/graph_builder.h"
#include "graphs/builder/op_kind.h"
#include "graphs/zoo/training_step.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

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

const std::string& Known(const std::string& type) {
  if (graphs::FindOpKind(type) == nullptr) {
    throw InputError("type: found " + Quoted(type) + ", expected a type of op that can be built");
  }
  return type;
}

graphs::Transposed ToTransposed(const std::string& which) {
  if (which != "none" && which != "first" && which != "second") {
    throw InputError("transposed: found " + Quoted(which) + ", expected none, first, second");
  }
  return which == "none"    ? graphs::Transposed::kNone
         : which == "first" ? graphs::Transposed::kFirst
                            : graphs::Transposed::kSecond;
}

using Pair = std::array<std::int64_t, 2>;

Window MakeWindow(const Pair& extents,
                  const Pair& strides,
                  const Pair& pads,
                  const Pair& dilations,
                  std::int64_t groups) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::size_t side : {0, 1}) {
    InRange("extents", extents[side], 1, kMost);
    InRange("strides", strides[side], 1, kMost);
    InRange("pads", pads[side], 0, kMost);
    InRange("dilations", dilations[side], 1, kMost);
  }
  return {.height = extents[0],
          .width = extents[1],
          .stride_h = strides[0],
          .stride_w = strides[1],
          .pad_h = pads[0],
          .pad_w = pads[1],
          .dilation_h = dilations[0],
          .dilation_w = dilations[1],
          .groups = InRange("groups", groups, 1, kMost)};
}

// `with builder.scope(name, module):`
class PythonScope {
 public:
  PythonScope(GraphBuilder& builder, std::string name, std::optional<std::string> module)
      : builder_(builder), name_(std::move(name)), module_(std::move(module)) {}
  void Enter() { scope_.emplace(builder_, name_, module_); }
  void Exit() { scope_.reset(); }

 private:
  GraphBuilder& builder_;
  std::string name_;
  std::optional<std::string> module_;
  std::optional<GraphBuilder::Scope> scope_;
};

void BindParts(py::module_& module) {
  py::class_<Tensor>(module, "BuiltTensor", "An output of an op of a GraphBuilder.")
      .def_property_readonly("shape",
                             [](const Tensor& tensor) { return py::tuple(py::cast(tensor.shape)); })
      .def_property_readonly(
          "dtype", [](const Tensor& tensor) { return std::string(sim::NameOf(tensor.dtype)); });
  py::class_<Window>(module, "Window", "How a filter or a pooling window moves; two numbers each.")
      .def(py::init(&MakeWindow),
           py::kw_only(),
           py::arg("extents"),
           py::arg("strides"),
           py::arg("pads"),
           py::arg("dilations"),
           py::arg("groups") = 1);
  py::class_<PythonScope>(module, "Scope")
      .def("__enter__", [](PythonScope& scope) { scope.Enter(); })
      .def("__exit__", [](PythonScope& scope, const py::args&) { scope.Exit(); });
}

using BuilderClass = py::class_<GraphBuilder>;

void BindSources(BuilderClass& builder) {
  builder.def(py::init<std::string, std::string>(), py::arg("name"), py::arg("origin"))
      .def(
          "scope",
          [](GraphBuilder& b, std::string name, std::optional<std::string> module) {
            return std::make_unique<PythonScope>(b, std::move(name), std::move(module));
          },
          py::arg("name"),
          py::arg("module"),
          py::keep_alive<0, 1>())
      .def(
          "placeholder",
          [](GraphBuilder& b,
             const std::string& name,
             const Shape& shape,
             const std::string& type) { return b.Placeholder(name, shape, ToDType(type)); },
          py::arg("name"),
          py::arg("shape"),
          py::arg("dtype"))
      .def(
          "weight",
          [](GraphBuilder& b,
             const std::string& name,
             const Shape& shape,
             const std::string& type) { return b.Weight(name, shape, ToDType(type)); },
          py::arg("name"),
          py::arg("shape"),
          py::arg("dtype"))
      .def(
          "constant",
          [](GraphBuilder& b,
             const std::string& name,
             const Shape& shape,
             const std::string& type) { return b.Constant(name, shape, ToDType(type)); },
          py::arg("name"),
          py::arg("shape"),
          py::arg("dtype"));
}

void BindArithmetic(BuilderClass& builder) {
  builder
      .def(
          "unary",
          [](GraphBuilder& b, const std::string& type, const Tensor& x) {
            return b.Unary(Known(type), x);
          },
          py::arg("type"),
          py::arg("x"))
      .def(
          "binary",
          [](GraphBuilder& b, const std::string& type, const Tensor& x, const Tensor& y) {
            return b.Binary(Known(type), x, y);
          },
          py::arg("type"),
          py::arg("x"),
          py::arg("y"))
      .def(
          "cast",
          [](GraphBuilder& b, const Tensor& x, const std::string& type) {
            return b.Cast(x, ToDType(type));
          },
          py::arg("x"),
          py::arg("dtype"))
      .def("select", &GraphBuilder::Select, py::arg("condition"), py::arg("a"), py::arg("b"))
      .def("bias_add", &GraphBuilder::BiasAdd, py::arg("x"), py::arg("bias"), py::arg("axis"))
      .def("dropout", &GraphBuilder::Dropout, py::arg("x"));
}

void BindLayers(BuilderClass& builder) {
  builder
      .def(
          "matmul",
          [](GraphBuilder& b, const Tensor& x, const Tensor& y, const std::string& transposed) {
            return b.MatMul(x, y, ToTransposed(transposed));
          },
          py::arg("x"),
          py::arg("y"),
          py::arg("transposed") = "none")
      .def("conv", &GraphBuilder::Conv, py::arg("image"), py::arg("filter"), py::arg("window"))
      .def("conv_transpose",
           &GraphBuilder::ConvTranspose,
           py::arg("x"),
           py::arg("filter"),
           py::arg("window"),
           py::arg("image"))
      .def(
          "pool",
          [](GraphBuilder& b, const std::string& type, const Tensor& image, const Window& window) {
            return b.Pool(Known(type), image, window);
          },
          py::arg("type"),
          py::arg("image"),
          py::arg("window"))
      .def(
          "reduce",
          [](GraphBuilder& b,
             const std::string& type,
             const Tensor& x,
             const Shape& axes,
             bool keep) {
            return keep ? b.ReduceKeeping(Known(type), x, axes) : b.Reduce(Known(type), x, axes);
          },
          py::arg("type"),
          py::arg("x"),
          py::arg("axes"),
          py::kw_only(),
          py::arg("keep_dims").noconvert())
      .def("batch_norm",
           &graphs::FusedBatchNorm,
           py::arg("image"),
           py::arg("scale"),
           py::arg("offset"))
      .def(
          "layer_norm",
          [](GraphBuilder& b, const Tensor& x, const Tensor& scale, const Tensor& offset) {
            return b.output(b.Append({.type = "LayerNorm", .inputs = {x, scale, offset}}));
          },
          py::arg("x"),
          py::arg("scale"),
          py::arg("offset"))
      .def("mean_cross_entropy", &graphs::MeanCrossEntropy, py::arg("logits"), py::arg("labels"));
}

void BindMovement(BuilderClass& builder) {
  builder.def("reshape", &GraphBuilder::Reshape, py::arg("x"), py::arg("shape"))
      .def("transpose", &GraphBuilder::Transpose, py::arg("x"), py::arg("permutation"))
      .def("concat", &GraphBuilder::Concat, py::arg("parts"), py::arg("axis"))
      .def("split", &GraphBuilder::Split, py::arg("x"), py::arg("count"), py::arg("axis"))
      .def("slice", &GraphBuilder::Slice, py::arg("x"), py::arg("begin"), py::arg("size"))
      .def("pad", &GraphBuilder::Pad, py::arg("x"), py::arg("before"), py::arg("after"))
      .def("tile", &GraphBuilder::Tile, py::arg("x"), py::arg("shape"))
      .def("gather", &GraphBuilder::Gather, py::arg("table"), py::arg("indices"));
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
  BindLayers(builder);
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
}

}  // namespace opyard::bindings
