#include "graphs/builder/shape_inference.h"
#include "sim/base/error.h"

namespace opyard::graphs {

void RefuseShapes(const OpArguments& op, const std::string& expected) {
  std::string found;
  for (const Tensor& input : op.inputs) {
    found += (found.empty() ? "" : ", ") + ToText(input.shape);
  }
  throw InputError("op " + std::string(op.kind.type) + ": found " +
                   (found.empty() ? "no inputs" : "shapes " + found) + ", expected " + expected);
}

void NeedInputs(const OpArguments& op, std::size_t count) {
  if (op.inputs.size() != count) {
    RefuseShapes(op, std::to_string(count) + " inputs");
  }
}

void NeedAxis(const OpArguments& op, std::int64_t axis, std::size_t rank) {
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) {
    RefuseShapes(
        op, "axis " + std::to_string(axis) + " to be below " + std::to_string(rank) + " extents");
  }
}

TensorTypes InferGiven(const OpArguments& op) {
  NeedInputs(op, 0);
  return {{op.attributes.dims, op.attributes.dtype}};
}

TensorTypes InferFirst(const OpArguments& op) {
  if (op.inputs.empty()) {
    RefuseShapes(op, "an input");
  }
  return {{op.inputs[0].shape, op.inputs[0].dtype}};
}

TensorTypes InferToDims(const OpArguments& op) {
  return {{op.attributes.dims, InferFirst(op)[0].dtype}};
}

TensorTypes InferCast(const OpArguments& op) {
  NeedInputs(op, 1);
  return {{op.inputs[0].shape, op.attributes.dtype}};
}

TensorTypes InferBroadcast(const OpArguments& op) {
  NeedInputs(op, 2);
  const auto shape = BroadcastShape(op.inputs[0].shape, op.inputs[1].shape);
  if (!shape) {
    RefuseShapes(op, "shapes that are equal from the end on, or 1");
  }
  return {{*shape, op.inputs[0].dtype}};
}

TensorTypes InferComparison(const OpArguments& op) {
  return {{InferBroadcast(op)[0].shape, sim::DType::kBool}};
}

TensorTypes InferSelect(const OpArguments& op) {
  NeedInputs(op, 3);
  const auto values = BroadcastShape(op.inputs[1].shape, op.inputs[2].shape);
  const auto shape = values ? BroadcastShape(op.inputs[0].shape, *values) : std::optional<Shape>();
  if (!shape) {
    RefuseShapes(op, "a condition and two values of shapes that fit");
  }
  return {{*shape, op.inputs[1].dtype}};
}

TensorTypes InferAllEqual(const OpArguments& op) {
  for (const Tensor& input : op.inputs) {
    if (input.shape != op.inputs[0].shape) {
      RefuseShapes(op, "equal shapes");
    }
  }
  return InferFirst(op);
}

TensorTypes InferBiasAdd(const OpArguments& op) {
  NeedInputs(op, 2);
  NeedAxis(op, op.attributes.axis, op.inputs[0].shape.size());
  const std::int64_t extent = op.inputs[0].shape[static_cast<std::size_t>(op.attributes.axis)];
  if (op.inputs[1].shape != Shape{extent}) {
    RefuseShapes(op, "a bias of shape " + ToText({extent}));
  }
  return InferFirst(op);
}

TensorTypes InferBiasAddGrad(const OpArguments& op) {
  NeedInputs(op, 1);
  NeedAxis(op, op.attributes.axis, op.inputs[0].shape.size());
  return {{{op.inputs[0].shape[static_cast<std::size_t>(op.attributes.axis)]}, op.inputs[0].dtype}};
}

TensorTypes InferUpdate(const OpArguments& op) {
  for (const Tensor& input : op.inputs) {
    if (input.shape != op.inputs[0].shape && !input.shape.empty()) {
      RefuseShapes(op, "scalars and shapes equal to the variable's");
    }
  }
  return InferFirst(op);
}

}  // namespace opyard::graphs
