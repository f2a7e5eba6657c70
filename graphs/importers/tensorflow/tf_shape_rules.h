// The shapes of results of TensorFlow's ops, one function per family of types.
//
// A rule gives one shape per output. It gives nothing for what it cannot know, and no shape at all
// where inputs do not fit: a damaged graph is not worse than an unknown one. All are pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

using TfShapes = std::vector<std::optional<Shape>>;
using TfShapeRule = TfShapes (*)(const TfOp& op);

// Null for a type without a rule.
[[nodiscard]] TfShapeRule FindTfShapeRule(std::string_view type);

// Elementwise (tf_shapes_elementwise.cc).
[[nodiscard]] TfShapes ShapeOfFirst(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfSecond(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfLast(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfAny(const TfOp& op);  // of equal shapes
[[nodiscard]] TfShapes ShapesOfMerge(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfEach(const TfOp& op);  // output i as input i
[[nodiscard]] TfShapes ShapeOfFirstTwice(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfBroadcast(const TfOp& op);  // of all inputs
[[nodiscard]] TfShapes ShapeOfQuantized(const TfOp& op);  // as the first, then two scalars
[[nodiscard]] TfShapes ShapeOfQuantizedPair(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfScalar(const TfOp& op);

// Products, convolutions, pools, recurrent layers (tf_shapes_heavy.cc, tf_shapes_windows.cc).
[[nodiscard]] TfShapes ShapeOfMatMul(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfBatchMatMul(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfEinsum(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfConv(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfDepthwiseConv(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfConvInput(const TfOp& op);  // …BackpropInput: sizes first
[[nodiscard]] TfShapes ShapeOfPool(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfCudnnRnn(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfCudnnRnnBackprop(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfBlockLstm(const TfOp& op);

// By constants (tf_shapes_given.cc).
[[nodiscard]] TfShapes ShapeInFirst(const TfOp& op);   // the first input holds the extents
[[nodiscard]] TfShapes ShapeInSecond(const TfOp& op);  // the second
[[nodiscard]] TfShapes ShapeInThird(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfReshape(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfRange(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfLinSpace(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfRanks(const TfOp& op);  // Shape, ShapeN
[[nodiscard]] TfShapes ShapeOfOneHot(const TfOp& op);
[[nodiscard]] TfShapes ShapeInAttribute(const TfOp& op);  // Placeholder, VariableV2
[[nodiscard]] TfShapes ShapeOfConst(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfHandle(const TfOp& op);    // the scalar that a handle is
[[nodiscard]] TfShapes ShapesInList(const TfOp& op);     // IteratorGetNext: output_shapes
[[nodiscard]] TfShapes ShapesHeld(const TfOp& op);       // what the handle holds
[[nodiscard]] TfShapes ShapeHeldBatch(const TfOp& op);   // QueueDequeueMany
[[nodiscard]] TfShapes ShapeOfHeldRank(const TfOp& op);  // VariableShape
[[nodiscard]] TfShapes ShapeOfBroadcastArgs(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfBroadcastGradientArgs(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfPlaceholderWithDefault(const TfOp& op);

// Movement of data (tf_shapes_movement.cc, tf_shapes_slices.cc).
[[nodiscard]] TfShapes ShapeOfTranspose(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfConcat(const TfOp& op);    // axis first
[[nodiscard]] TfShapes ShapeOfConcatV2(const TfOp& op);  // axis last
[[nodiscard]] TfShapes ShapesOfSplit(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfSplitV(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfPack(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfUnpack(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfSlice(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfStridedSlice(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfSqueeze(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfExpandDims(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfPad(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfTile(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfGather(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfGatherNd(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfSpaceToDepth(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfDepthToSpace(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfSpaceToBatch(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfBatchToSpace(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfResize(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfCropAndResize(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfDiag(const TfOp& op);      // MatrixDiag
[[nodiscard]] TfShapes ShapeOfDiagPart(const TfOp& op);  // MatrixDiagPart

// Reductions, normalisation, losses (tf_shapes_reduction.cc).
[[nodiscard]] TfShapes ShapeOfReduction(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfArgMax(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfTopK(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfBiasAddGrad(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfCrossEntropy(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfBatchNorm(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfBatchNormGrad(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfSegmentSum(const TfOp& op);  // number of segments given
[[nodiscard]] TfShapes ShapeOfRows(const TfOp& op);        // InTopK: [batch]

// Lists of tensors (tf_holdings.cc).
[[nodiscard]] TfShapes ShapeOfListItem(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfListStack(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfArray(const TfOp& op);  // the handle and the flow
[[nodiscard]] TfShapes ShapeOfArrayItem(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfArrayGather(const TfOp& op);
[[nodiscard]] TfShapes ShapeOfListGather(const TfOp& op);
[[nodiscard]] TfShapes ShapesOfListPop(const TfOp& op);

}  // namespace opyard::graphs
