#include <algorithm>

#include "graphs/builder/shape_inference.h"

namespace opyard::graphs {
namespace {

std::size_t Axis(const OpArguments& op) {
  return static_cast<std::size_t>(op.attributes.axis);
}

TensorTypes OfFirst(const OpArguments& op, Shape shape) {
  return {{std::move(shape), op.inputs[0].dtype}};
}

}  // namespace

TensorTypes InferReshape(const OpArguments& op) {
  NeedInputs(op, 1);
  if (NumElements(op.inputs[0].shape) != NumElements(op.attributes.dims)) {
    RefuseShapes(op, "as many elements as " + ToText(op.attributes.dims));
  }
  return OfFirst(op, op.attributes.dims);
}

TensorTypes InferExpandDims(const OpArguments& op) {
  NeedInputs(op, 1);
  NeedAxis(op, op.attributes.axis, op.inputs[0].shape.size() + 1);
  Shape shape = op.inputs[0].shape;
  shape.insert(shape.begin() + op.attributes.axis, 1);
  return OfFirst(op, shape);
}

TensorTypes InferSqueeze(const OpArguments& op) {
  NeedInputs(op, 1);
  Shape shape;
  for (std::size_t i = 0; i < op.inputs[0].shape.size(); ++i) {
    const bool goes = std::ranges::count(op.attributes.dims, static_cast<std::int64_t>(i)) > 0;
    if (goes && op.inputs[0].shape[i] != 1) {
      RefuseShapes(op, "extents 1 at axes " + ToText(op.attributes.dims));
    }
    if (!goes) {
      shape.push_back(op.inputs[0].shape[i]);
    }
  }
  return OfFirst(op, shape);
}

TensorTypes InferTranspose(const OpArguments& op) {
  NeedInputs(op, 1);
  Shape sorted = op.attributes.dims;
  std::ranges::sort(sorted);
  Shape shape;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<std::int64_t>(i) || sorted.size() != op.inputs[0].shape.size()) {
      RefuseShapes(op, "a permutation of its axes, not " + ToText(op.attributes.dims));
    }
    shape.push_back(op.inputs[0].shape[static_cast<std::size_t>(op.attributes.dims[i])]);
  }
  return OfFirst(op, shape);
}

TensorTypes InferConcat(const OpArguments& op) {
  Shape shape = InferFirst(op)[0].shape;
  NeedAxis(op, op.attributes.axis, shape.size());
  shape[Axis(op)] = 0;
  for (const Tensor& input : op.inputs) {
    Shape rest = input.shape;
    const std::int64_t extent = rest.size() == shape.size() ? rest[Axis(op)] : 0;
    if (rest.size() == shape.size()) {
      rest[Axis(op)] = shape[Axis(op)];
    }
    if (rest != shape) {
      RefuseShapes(op, "shapes that differ only at axis " + std::to_string(op.attributes.axis));
    }
    shape[Axis(op)] += extent;
  }
  return OfFirst(op, shape);
}

TensorTypes InferSplit(const OpArguments& op) {
  NeedInputs(op, 1);
  Shape shape = op.inputs[0].shape;
  NeedAxis(op, op.attributes.axis, shape.size());
  const std::int64_t count = op.attributes.count;
  if (count < 1 || shape[Axis(op)] % count != 0) {
    RefuseShapes(op,
                 "axis " + std::to_string(op.attributes.axis) + " to divide into " +
                     std::to_string(count) + " parts");
  }
  shape[Axis(op)] /= count;
  return TensorTypes(static_cast<std::size_t>(count), TensorType{shape, op.inputs[0].dtype});
}

TensorTypes InferSlice(const OpArguments& op) {
  NeedInputs(op, 1);
  const Shape& shape = op.inputs[0].shape;
  const Shape& begin = op.attributes.begin;
  const Shape& size = op.attributes.dims;
  bool fits = begin.size() == shape.size() && size.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    fits = begin[i] >= 0 && size[i] >= 1 && begin[i] + size[i] <= shape[i];
  }
  if (!fits) {
    RefuseShapes(op, "room for " + ToText(size) + " from " + ToText(begin) + " on");
  }
  return OfFirst(op, size);
}

TensorTypes InferPad(const OpArguments& op) {
  NeedInputs(op, 1);
  const Shape& before = op.attributes.begin;
  const Shape& after = op.attributes.dims;
  Shape shape = op.inputs[0].shape;
  if (before.size() != shape.size() || after.size() != shape.size()) {
    RefuseShapes(op, "padding for each axis, not " + ToText(before) + " and " + ToText(after));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] += before[i] + after[i];
  }
  return OfFirst(op, shape);
}

TensorTypes InferPack(const OpArguments& op) {
  Shape shape = InferAllEqual(op)[0].shape;
  NeedAxis(op, op.attributes.axis, shape.size() + 1);
  shape.insert(shape.begin() + op.attributes.axis, static_cast<std::int64_t>(op.inputs.size()));
  return OfFirst(op, shape);
}

TensorTypes InferUnpack(const OpArguments& op) {
  NeedInputs(op, 1);
  Shape shape = op.inputs[0].shape;
  NeedAxis(op, op.attributes.axis, shape.size());
  const std::int64_t count = shape[Axis(op)];
  shape.erase(shape.begin() + op.attributes.axis);
  return TensorTypes(static_cast<std::size_t>(count), TensorType{shape, op.inputs[0].dtype});
}

TensorTypes InferTile(const OpArguments& op) {
  NeedInputs(op, 1);
  if (BroadcastShape(op.inputs[0].shape, op.attributes.dims) != op.attributes.dims) {
    RefuseShapes(op, "a shape that stretches to " + ToText(op.attributes.dims));
  }
  return OfFirst(op, op.attributes.dims);
}

TensorTypes InferGather(const OpArguments& op) {
  NeedInputs(op, 2);
  if (op.inputs[0].shape.empty()) {
    RefuseShapes(op, "a table with rows");
  }
  Shape shape = op.inputs[1].shape;
  shape.insert(shape.end(), op.inputs[0].shape.begin() + 1, op.inputs[0].shape.end());
  return OfFirst(op, shape);
}

TensorTypes InferSegmentSum(const OpArguments& op) {
  NeedInputs(op, 2);
  const Shape& values = op.inputs[0].shape;
  const Shape& rows = op.inputs[1].shape;
  if (values.size() < rows.size() || !std::equal(rows.begin(), rows.end(), values.begin())) {
    RefuseShapes(op, "an index for each row of the values");
  }
  Shape shape = {op.attributes.count};
  shape.insert(
      shape.end(), values.begin() + static_cast<std::ptrdiff_t>(rows.size()), values.end());
  return OfFirst(op, shape);
}

TensorTypes InferOneHot(const OpArguments& op) {
  NeedInputs(op, 1);
  Shape shape = op.inputs[0].shape;
  shape.push_back(op.attributes.count);
  return {{shape, sim::DType::kF32}};
}

}  // namespace opyard::graphs
