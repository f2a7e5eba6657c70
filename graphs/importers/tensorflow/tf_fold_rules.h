// The families of ops whose constants are followed (tf_fold.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

using TfElements = std::optional<std::vector<double>>;

// One number from two or from one (tf_fold_arithmetic.cc). Null for a type that is none.
using TfBinary = double (*)(double a, double b);
using TfUnary = double (*)(double a);
[[nodiscard]] TfBinary FindTfBinary(std::string_view type, bool is_integer);
[[nodiscard]] TfUnary FindTfUnary(std::string_view type);

// The elements of a result of shape `shape`; nothing where they are not known. Each stands for the
// types that its name says (tf_fold_arithmetic.cc, tf_fold_movement.cc).
[[nodiscard]] TfElements FoldBinary(const TfOp& op, const Shape& shape, TfBinary binary);
[[nodiscard]] TfElements FoldSelect(const TfOp& op, const Shape& shape);
[[nodiscard]] TfElements FoldReduction(const TfOp& op, const Shape& shape);
[[nodiscard]] TfElements FoldFill(const TfOp& op, const Shape& shape);
[[nodiscard]] TfElements FoldRange(const TfOp& op, const Shape& shape);
[[nodiscard]] TfElements FoldConcat(const TfOp& op, const Shape& shape);  // and Pack, of rank 1
[[nodiscard]] TfElements FoldGather(const TfOp& op, const Shape& shape);  // of a list
[[nodiscard]] TfElements FoldSlice(const TfOp& op, const Shape& shape);   // of a list
[[nodiscard]] TfElements FoldStridedSlice(const TfOp& op, const Shape& shape);
[[nodiscard]] TfElements FoldBroadcastArgs(const TfOp& op);
// For two shapes, the axes along which the gradient of each is summed.
[[nodiscard]] std::vector<TfElements> FoldBroadcastGradientArgs(const TfOp& op);

}  // namespace opyard::graphs
