#include "graphs/importers/tensorflow/tf_evaluation.h"

#include <algorithm>
#include <string>

#include "graphs/importers/tensorflow/tf_fold.h"
#include "graphs/importers/tensorflow/tf_holdings.h"
#include "graphs/importers/tensorflow/tf_op_outputs.h"
#include "graphs/importers/tensorflow/tf_shape_rules.h"
#include "graphs/importers/tensorflow/tf_types.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostShapes = 65'536;
constexpr std::size_t kLargestRank = 254;

bool IsSource(std::string_view type) {
  return type.starts_with("Placeholder") || type.starts_with("IteratorGetNext") ||
         type == "InfeedDequeue" || type.starts_with("QueueDequeue");
}

// The extents of the outputs that the file gives.
std::vector<TfExtents> GivenExtents(const TfOp& op) {
  std::vector<TfExtents> given = op.attributes.ExtentsList("_output_shapes");
  if (!given.empty() || !IsSource(op.type)) {
    return given;
  }
  if (op.attributes.Has("shape")) {
    return {op.attributes.Extents("shape")};
  }
  given = op.attributes.ExtentsList("output_shapes");
  if (given.empty() && op.HoldingOf(0) != nullptr) {
    given = op.HoldingOf(0)->extents;
  }
  return given;
}

bool HasUnknownExtent(const TfExtents& extents) {
  return extents.has_value() && !StaticShape(extents).has_value();
}

std::optional<Shape> WithDim(const TfExtents& extents, std::int64_t dim) {
  if (!extents.has_value()) {
    return std::nullopt;
  }
  Shape shape = *extents;
  std::ranges::replace_if(
      shape, [](std::int64_t extent) { return extent < 0; }, dim);
  return StaticShape(shape);
}

class Evaluator {
 public:
  Evaluator(const TfOp& op, std::optional<std::int64_t> dim)
      : op_(op), dim_(dim), given_(GivenExtents(op)) {}

  TfEvaluation Run() {
    if (const TfShapeRule rule = FindTfShapeRule(op_.type)) {
      shapes_ = rule(op_);
    }
    if (std::max(shapes_.size(), given_.size()) > kMostShapes) {
      throw InputError("found more than 65536 output shapes, expected fewer");
    }
    shapes_.resize(std::max(shapes_.size(), given_.size()));
    for (std::size_t port = 0; port < given_.size(); ++port) {
      Merge(port);
    }
    for (std::optional<Shape>& shape : shapes_) {
      if (shape.has_value() && shape->size() > kLargestRank) {
        shape.reset();
      }
    }
    MakeValues();
    return std::move(evaluation_);
  }

 private:
  void Merge(std::size_t port) {
    const TfExtents& given = given_[port];
    const bool has_elements = HasTfElements(TypeOf(port));
    if (std::optional<Shape> complete = StaticShape(given)) {
      shapes_[port] = std::move(complete);
    } else if (HasUnknownExtent(given) && has_elements && IsSource(op_.type)) {
      shapes_[port] = dim_.has_value() ? WithDim(given, *dim_) : std::nullopt;
      evaluation_.needs_dim |= !dim_.has_value();
      evaluation_.uses_dim |= dim_.has_value();
    } else if (HasUnknownExtent(given) && !shapes_[port].has_value() && dim_.has_value()) {
      shapes_[port] = WithDim(given, *dim_);
      evaluation_.assumes_dim = true;
      evaluation_.uses_dim = true;
    }
  }

  // A type that the file leaves out is that of the first input, which is so of most ops.
  [[nodiscard]] std::int64_t TypeOf(std::size_t port) const {
    if (const std::int64_t type = TfOutputType(op_.type, op_.attributes, port); type != 0) {
      return type;
    }
    if (const TfHolding* held = HeldType(port)) {
      return held->types[port];
    }
    return op_.inputs.empty() ? 0 : op_.inputs[0]->type;
  }

  [[nodiscard]] const TfHolding* HeldType(std::size_t port) const {
    const bool reads = op_.type == "ReadVariableOp" || op_.type.starts_with("QueueDequeue");
    const TfHolding* held = reads ? op_.HoldingOf(0) : nullptr;
    return held != nullptr && port < held->types.size() ? held : nullptr;
  }

  // The flow of a TensorArray is a number, and stands for its elements.
  [[nodiscard]] bool HandsOnArray() const {
    const TfShapeRule rule = FindTfShapeRule(op_.type);
    const bool hands_on =
        rule == ShapeOfFirst || rule == ShapesOfMerge || rule == ShapeOfFirstTwice;
    return op_.type.starts_with("TensorArray") || (hands_on && op_.HoldingOf(0) != nullptr);
  }

  // Reshape and elementwise ops have as many elements as they read.
  [[nodiscard]] std::optional<std::int64_t> NumElementsKept() const {
    const bool keeps = op_.type == "Reshape" || FindTfShapeRule(op_.type) == ShapeOfFirst;
    if (!keeps || op_.inputs.empty()) {
      return std::nullopt;
    }
    const TfValue& input = *op_.inputs[0];
    return input.shape.has_value() ? std::optional(NumElements(*input.shape)) : input.num_elements;
  }

  void MakeValues() {
    const std::int64_t type = TypeOf(0);
    const auto constants = FoldTfConstants(op_, shapes_, type);
    for (std::size_t port = 0; port < shapes_.size(); ++port) {
      TfValue value{.shape = shapes_[port], .type = TypeOf(port), .constant = constants[port]};
      static_cast<void>(TfDType(value.type));  // refuses what it does not know
      if (!value.shape.has_value() && port == 0) {
        value.num_elements = NumElementsKept();
      }
      if (!HasTfElements(value.type) || HandsOnArray()) {
        value.holding = FindTfHolding(op_, port);
      }
      evaluation_.outputs.push_back(std::move(value));
    }
  }

  const TfOp& op_;
  std::optional<std::int64_t> dim_;
  std::vector<TfExtents> given_;
  TfShapes shapes_;
  TfEvaluation evaluation_;
};

}  // namespace

TfEvaluation EvaluateTfOp(const TfOp& op, std::optional<std::int64_t> dim) {
  return Evaluator(op, dim).Run();
}

}  // namespace opyard::graphs
