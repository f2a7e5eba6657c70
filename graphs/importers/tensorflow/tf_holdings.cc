#include "graphs/importers/tensorflow/tf_holdings.h"

#include "graphs/importers/tensorflow/tf_shape_rules.h"
#include "graphs/importers/tensorflow/tf_types.h"

namespace opyard::graphs {
namespace {

std::optional<std::int64_t> NumberIn(const TfOp& op, std::size_t input) {
  const std::vector<double>* elements = op.ConstantOf(input);
  return elements != nullptr && elements->size() == 1 ? std::optional(WholeNumbers(*elements)[0])
                                                      : std::nullopt;
}

TfExtents ExtentsOf(const TfOp& op, std::size_t input) {
  return op.ShapeOf(input) == nullptr ? std::nullopt : TfExtents(*op.ShapeOf(input));
}

// The extents that input `input` lists; a scalar −1 is an unknown rank.
TfExtents ExtentsIn(const TfOp& op, std::size_t input) {
  const std::vector<double>* elements = op.ConstantOf(input);
  const bool is_list =
      elements != nullptr && op.ShapeOf(input) != nullptr && op.ShapeOf(input)->size() == 1;
  return is_list ? TfExtents(WholeNumbers(*elements)) : std::nullopt;
}

TfHolding ListOf(const TfOp& op, TfExtents element, std::optional<std::int64_t> length) {
  return {.extents = {std::move(element)},
          .types = {op.attributes.Type("element_dtype")},
          .length = length};
}

// The shape of an element: what the list is known to hold, else what the op says.
std::optional<Shape> ElementOf(const TfOp& op, std::size_t shape_input) {
  const TfHolding* list = op.HoldingOf(0);
  std::optional<Shape> held =
      list != nullptr && !list->extents.empty() ? StaticShape(list->extents[0]) : std::nullopt;
  return held.has_value() ? held : StaticShape(ExtentsIn(op, shape_input));
}

std::optional<TfHolding> ListAfter(const TfOp& op) {
  const TfHolding* list = op.HoldingOf(0);
  if (op.type == "TensorListReserve") {
    return ListOf(op, ExtentsIn(op, 0), NumberIn(op, 1));
  }
  if (op.type == "EmptyTensorList") {
    return ListOf(op, ExtentsIn(op, 0), 0);
  }
  if (op.type == "TensorListFromTensor" || op.type.starts_with("TensorListScatter")) {
    const TfExtents tensor = ExtentsOf(op, 0);
    if (!tensor.has_value() || tensor->empty()) {
      return ListOf(op, ExtentsIn(op, 1), std::nullopt);
    }
    return ListOf(op, Shape(tensor->begin() + 1, tensor->end()), tensor->front());
  }
  if (list == nullptr) {
    return std::nullopt;
  }
  TfHolding after = *list;
  if (op.type == "TensorListSetItem" && op.ShapeOf(2) != nullptr) {
    after.extents = {ExtentsOf(op, 2)};
  } else if (op.type == "TensorListPushBack") {
    after.extents = {op.ShapeOf(1) != nullptr ? ExtentsOf(op, 1) : list->extents[0]};
    after.length = list->length.has_value() ? std::optional(*list->length + 1) : std::nullopt;
  } else if (op.type == "TensorListPopBack") {
    after.length = list->length.has_value() ? std::optional(*list->length - 1) : std::nullopt;
  } else if (op.type == "TensorListResize") {
    after.length = NumberIn(op, 1);
  }
  return after;
}

// TensorArrays of TensorFlow 1: their flow, a number that is handed on, stands for the elements.
std::optional<TfHolding> ArrayAfter(const TfOp& op) {
  if (op.type.starts_with("TensorArrayV")) {
    return TfHolding{.extents = {op.attributes.Extents("element_shape")},
                     .types = {op.attributes.Type("dtype")},
                     .length = NumberIn(op, 0)};
  }
  if (op.type.starts_with("TensorArrayScatter") || op.type.starts_with("TensorArrayWrite")) {
    const TfHolding* before = op.HoldingOf(3);
    TfExtents element = ExtentsOf(op, 2);
    if (element.has_value() && op.type.starts_with("TensorArrayScatter")) {
      element =
          element->empty() ? std::nullopt : TfExtents(Shape(element->begin() + 1, element->end()));
    }
    return TfHolding{.extents = {std::move(element)},
                     .types = {op.attributes.Type("T")},
                     .length = before == nullptr ? std::nullopt : before->length};
  }
  return std::nullopt;
}

std::optional<TfHolding> Described(const TfOp& op) {
  if (op.type == "VarHandleOp") {
    return TfHolding{.extents = {op.attributes.Extents("shape")},
                     .types = {op.attributes.Type("dtype")}};
  }
  const bool is_queue = op.type.find("Queue") != std::string_view::npos;
  if (op.type.find("Iterator") != std::string_view::npos || is_queue) {
    TfHolding holding{.extents = op.attributes.ExtentsList(is_queue ? "shapes" : "output_shapes"),
                      .types = op.attributes.Types(is_queue ? "component_types" : "output_types")};
    if (!holding.extents.empty()) {
      return holding;
    }
  }
  // A captured variable, of which some exporters say what it holds.
  const std::vector<TfExtents> handles = op.attributes.ExtentsList("_handle_shapes");
  if (!handles.empty()) {
    return TfHolding{.extents = handles, .types = op.attributes.Types("_handle_dtypes")};
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const TfHolding> FindTfHolding(const TfOp& op, std::size_t port) {
  std::optional<TfHolding> made = Described(op);
  if (!made.has_value()) {
    made = ArrayAfter(op);
  }
  const bool is_list = op.type.starts_with("TensorList") || op.type == "EmptyTensorList";
  if (!made.has_value() && is_list && port == 0) {
    made = ListAfter(op);
  }
  if (made.has_value()) {
    return std::make_shared<const TfHolding>(std::move(*made));
  }
  if (is_list || op.inputs.empty()) {
    return nullptr;
  }
  // Passed on: IdentityN one by one, Switch to both sides.
  return op.inputs[port < op.inputs.size() && op.type == "IdentityN" ? port : 0]->holding;
}

// list, index, shape of an element.
TfShapes ShapeOfListItem(const TfOp& op) {
  return {ElementOf(op, 2)};
}

// list, shape of an element.
TfShapes ShapeOfListStack(const TfOp& op) {
  std::optional<Shape> shape = ElementOf(op, 1);
  const TfHolding* list = op.HoldingOf(0);
  const std::int64_t given = op.attributes.Integer("num_elements", -1);
  const std::optional<std::int64_t> length =
      given >= 0 ? std::optional(given) : (list != nullptr ? list->length : std::nullopt);
  if (!shape.has_value() || !length.has_value()) {
    return {std::nullopt};
  }
  shape->insert(shape->begin(), *length);
  return {StaticShape(shape)};
}

// list, indices, shape of an element.
TfShapes ShapeOfListGather(const TfOp& op) {
  std::optional<Shape> shape = ElementOf(op, 2);
  if (!shape.has_value() || op.ShapeOf(1) == nullptr || op.ShapeOf(1)->empty()) {
    return {std::nullopt};
  }
  shape->insert(shape->begin(), op.ShapeOf(1)->front());
  return {shape};
}

TfShapes ShapesOfArray(const TfOp& /*op*/) {
  return {Shape(), Shape()};
}

// handle, index, flow.
TfShapes ShapeOfArrayItem(const TfOp& op) {
  const TfHolding* array = op.HoldingOf(2);
  return {array == nullptr || array->extents.empty() ? std::nullopt
                                                     : StaticShape(array->extents[0])};
}

// handle, indices, flow.
TfShapes ShapeOfArrayGather(const TfOp& op) {
  std::optional<Shape> shape = ShapeOfArrayItem(op)[0];
  shape = shape.has_value() ? shape : StaticShape(op.attributes.Extents("element_shape"));
  if (!shape.has_value() || op.ShapeOf(1) == nullptr || op.ShapeOf(1)->size() != 1) {
    return {std::nullopt};
  }
  shape->insert(shape->begin(), op.ShapeOf(1)->front());
  return {shape};
}

// list, shape of an element: the list without its last, and that one.
TfShapes ShapesOfListPop(const TfOp& op) {
  return {Shape(), ElementOf(op, 1)};
}

}  // namespace opyard::graphs
