#include "graphs/importers/tensorflow/tf_fold.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graphs/importers/common/op_work.h"
#include "graphs/importers/tensorflow/tf_fold_rules.h"
#include "graphs/importers/tensorflow/tf_types.h"

namespace opyard::graphs {
namespace {

using sim::DType;

using Rule = TfElements (*)(const TfOp& op, const Shape& shape);

TfElements CopyOf(const TfOp& op, std::size_t input) {
  return op.ConstantOf(input) == nullptr ? std::nullopt : TfElements(*op.ConstantOf(input));
}

TfElements One(double element) {
  return std::vector<double>{element};
}

// Ops that keep the elements in their order.
TfElements FoldFirst(const TfOp& op, const Shape& /*shape*/) {
  return CopyOf(op, 0);
}

TfElements FoldConst(const TfOp& op, const Shape& /*shape*/) {
  const auto value = op.attributes.Tensor("value");
  return value.has_value() ? value->elements : std::nullopt;
}

TfElements FoldRank(const TfOp& op, const Shape& /*shape*/) {
  const Shape* from = op.ShapeOf(0);
  return from == nullptr ? std::nullopt : One(static_cast<double>(from->size()));
}

TfElements FoldSize(const TfOp& op, const Shape& /*shape*/) {
  const Shape* from = op.ShapeOf(0);
  return from == nullptr ? std::nullopt : One(Elements(*from));
}

TfElements FoldListLength(const TfOp& op, const Shape& /*shape*/) {
  const TfHolding* list = op.HoldingOf(0);
  return list == nullptr || !list->length.has_value() ? std::nullopt
                                                      : One(static_cast<double>(*list->length));
}

// handle, flow.
TfElements FoldArraySize(const TfOp& op, const Shape& /*shape*/) {
  const TfHolding* array = op.HoldingOf(1);
  return array == nullptr || !array->length.has_value() ? std::nullopt
                                                        : One(static_cast<double>(*array->length));
}

// Also of a variable.
TfElements FoldHeldShape(const TfOp& op, const Shape& /*shape*/) {
  const TfHolding* list = op.HoldingOf(0);
  const auto shape =
      list == nullptr || list->extents.empty() ? std::nullopt : StaticShape(list->extents[0]);
  return shape.has_value() ? TfElements(std::vector<double>(shape->begin(), shape->end()))
                           : std::nullopt;
}

TfElements FoldCast(const TfOp& op, const Shape& /*shape*/) {
  TfElements elements = CopyOf(op, 0);
  const std::int64_t type = op.attributes.Type("DstT");
  if (elements.has_value()) {
    for (double& element : *elements) {
      element = type == kTfBool                        ? (element != 0.0 ? 1.0 : 0.0)
                : type == kTfInt32 || type == kTfInt64 ? std::trunc(element)
                                                       : element;
    }
  }
  return elements;
}

struct FoldRow {
  std::string_view type;
  Rule rule;
};

constexpr auto kFoldRows = std::to_array<FoldRow>({
    {"All", FoldReduction},
    {"Any", FoldReduction},
    {"BroadcastTo", FoldFill},
    {"Cast", FoldCast},
    {"Concat", FoldConcat},
    {"ConcatV2", FoldConcat},
    {"Const", FoldConst},
    {"Enter", FoldFirst},
    {"ExpandDims", FoldFirst},
    {"Fill", FoldFill},
    {"Gather", FoldGather},
    {"GatherV2", FoldGather},
    {"HostConst", FoldConst},
    {"Identity", FoldFirst},
    {"LoopCond", FoldFirst},
    {"Max", FoldReduction},
    {"Mean", FoldReduction},
    {"Min", FoldReduction},
    {"NextIteration", FoldFirst},
    {"Pack", FoldConcat},
    {"PlaceholderWithDefault", FoldFirst},
    {"PreventGradient", FoldFirst},
    {"Prod", FoldReduction},
    {"Range", FoldRange},
    {"Rank", FoldRank},
    {"Reshape", FoldFirst},
    {"Select", FoldSelect},
    {"SelectV2", FoldSelect},
    {"Size", FoldSize},
    {"Slice", FoldSlice},
    {"Snapshot", FoldFirst},
    {"Squeeze", FoldFirst},
    {"StopGradient", FoldFirst},
    {"StridedSlice", FoldStridedSlice},
    {"Sum", FoldReduction},
    {"TensorArraySizeV3", FoldArraySize},
    {"TensorListElementShape", FoldHeldShape},
    {"TensorListLength", FoldListLength},
    {"Tile", FoldFill},
    {"VariableShape", FoldHeldShape},
});
static_assert(std::ranges::is_sorted(kFoldRows, {}, &FoldRow::type));

bool IsInteger(DType dtype) {
  return dtype == DType::kI64 || dtype == DType::kI32 || dtype == DType::kI16 ||
         dtype == DType::kI8 || dtype == DType::kU8;
}

TfElements FoldOne(const TfOp& op, const Shape& shape, std::int64_t type) {
  const auto row = std::ranges::lower_bound(kFoldRows, op.type, {}, &FoldRow::type);
  if (row != kFoldRows.end() && row->type == op.type) {
    return row->rule(op, shape);
  }
  if (const TfUnary unary = FindTfUnary(op.type)) {
    TfElements elements = CopyOf(op, 0);
    if (elements.has_value()) {
      std::ranges::transform(*elements, elements->begin(), unary);
    }
    return elements;
  }
  const TfBinary binary = FindTfBinary(op.type, IsInteger(TfDType(type)));
  return binary == nullptr ? std::nullopt : FoldBinary(op, shape, binary);
}

// Outputs that are more than one, or no element-by-element result.
std::optional<std::vector<TfElements>> FoldLists(const TfOp& op) {
  std::vector<TfElements> all;
  if (op.type == "Shape" || op.type == "ShapeN") {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Shape* shape = op.ShapeOf(i);
      all.push_back(shape == nullptr
                        ? std::nullopt
                        : TfElements(std::vector<double>(shape->begin(), shape->end())));
    }
    return all;
  }
  if (op.type == "IdentityN") {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      all.push_back(CopyOf(op, i));
    }
    return all;
  }
  if (op.type == "Switch") {
    return std::vector<TfElements>{CopyOf(op, 0), CopyOf(op, 0)};
  }
  if (op.type == "Unpack" && op.ConstantOf(0) != nullptr && op.ShapeOf(0)->size() == 1) {
    for (const double element : *op.ConstantOf(0)) {
      all.push_back(One(element));
    }
    return all;
  }
  if (op.type == "BroadcastArgs") {
    all.push_back(FoldBroadcastArgs(op));
    return all;
  }
  if (op.type == "BroadcastGradientArgs") {
    return FoldBroadcastGradientArgs(op);
  }
  return std::nullopt;
}

bool CanBeFollowed(const TfElements& elements, const std::optional<Shape>& shape) {
  if (!elements.has_value() || !shape.has_value() || elements->size() > kMostTfElements) {
    return false;
  }
  return Elements(*shape) == static_cast<double>(elements->size());
}

bool IsSmall(const Shape& shape) {
  return Elements(shape) <= static_cast<double>(kMostTfElements);
}

}  // namespace

std::vector<TfElements> FoldTfConstants(const TfOp& op, const TfShapes& shapes, std::int64_t type) {
  std::vector<TfElements> all(shapes.size());
  if (std::optional<std::vector<TfElements>> lists = FoldLists(op)) {
    lists->resize(shapes.size());
    all = std::move(*lists);
  } else if (!shapes.empty() && shapes[0].has_value() && IsSmall(*shapes[0])) {
    all[0] = FoldOne(op, *shapes[0], type);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!CanBeFollowed(all[i], shapes[i])) {
      all[i].reset();
    }
  }
  return all;
}

}  // namespace opyard::graphs
