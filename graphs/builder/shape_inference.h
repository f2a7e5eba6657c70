// The shapes of results, one function per family of ops, for the table in op_kinds.cc.
//
// Each throws InputError that says the op's type, what was found and what was expected.
#pragma once

#include <vector>

#include "graphs/builder/op_kind.h"

namespace opyard::graphs {

using TensorTypes = std::vector<TensorType>;

// Elementwise (shape_inference_elementwise.cc).
[[nodiscard]] TensorTypes InferGiven(const OpArguments& op);      // attributes: dims, dtype
[[nodiscard]] TensorTypes InferToDims(const OpArguments& op);     // as input 0, attribute dims
[[nodiscard]] TensorTypes InferFirst(const OpArguments& op);      // as input 0
[[nodiscard]] TensorTypes InferCast(const OpArguments& op);       // as input 0, attribute dtype
[[nodiscard]] TensorTypes InferBroadcast(const OpArguments& op);  // of two inputs
[[nodiscard]] TensorTypes InferComparison(const OpArguments& op);
[[nodiscard]] TensorTypes InferSelect(const OpArguments& op);    // condition, then, else
[[nodiscard]] TensorTypes InferAllEqual(const OpArguments& op);  // any number of equal shapes
[[nodiscard]] TensorTypes InferBiasAdd(const OpArguments& op);   // attribute axis
[[nodiscard]] TensorTypes InferBiasAddGrad(const OpArguments& op);
[[nodiscard]] TensorTypes InferUpdate(const OpArguments& op);  // variable, then what it takes

// Products and convolutions, and their shape blocks (shape_inference_heavy.cc).
[[nodiscard]] TensorTypes InferMatMul(const OpArguments& op);  // leading extents are a batch
[[nodiscard]] TensorTypes InferConv(const OpArguments& op);    // image, filter
[[nodiscard]] TensorTypes InferConvBackpropInput(const OpArguments& op);   // gradient, filter
[[nodiscard]] TensorTypes InferConvBackpropFilter(const OpArguments& op);  // image, gradient
[[nodiscard]] sim::WorkShape MatMulWork(const OpArguments& op, const TensorType& output);
[[nodiscard]] sim::WorkShape ConvWork(const OpArguments& op, const TensorType& output);
[[nodiscard]] sim::WorkShape ConvBackpropInputWork(const OpArguments& op, const TensorType& output);
[[nodiscard]] sim::WorkShape ConvBackpropFilterWork(const OpArguments& op,
                                                    const TensorType& output);

// Pooling, normalisation, reductions, losses (shape_inference_reduction.cc).
[[nodiscard]] TensorTypes InferPool(const OpArguments& op);
[[nodiscard]] TensorTypes InferReduce(const OpArguments& op);  // attributes: dims, keep_dims
[[nodiscard]] TensorTypes InferScalar(const OpArguments& op);
[[nodiscard]] TensorTypes InferArgMax(const OpArguments& op);
[[nodiscard]] TensorTypes InferSparseCrossEntropy(const OpArguments& op);  // logits, labels
[[nodiscard]] TensorTypes InferCrossEntropy(const OpArguments& op);        // logits, probabilities
[[nodiscard]] TensorTypes InferBatchNorm(const OpArguments& op);           // x, scale, offset
[[nodiscard]] TensorTypes InferLayerNorm(const OpArguments& op);
[[nodiscard]] TensorTypes InferNormGrad(const OpArguments& op);  // gradient, x, scale, …

// Movement of data (shape_inference_movement.cc).
[[nodiscard]] TensorTypes InferReshape(const OpArguments& op);
[[nodiscard]] TensorTypes InferExpandDims(const OpArguments& op);
[[nodiscard]] TensorTypes InferSqueeze(const OpArguments& op);
[[nodiscard]] TensorTypes InferTranspose(const OpArguments& op);
[[nodiscard]] TensorTypes InferConcat(const OpArguments& op);
[[nodiscard]] TensorTypes InferSplit(const OpArguments& op);
[[nodiscard]] TensorTypes InferSlice(const OpArguments& op);
[[nodiscard]] TensorTypes InferPad(const OpArguments& op);
[[nodiscard]] TensorTypes InferPack(const OpArguments& op);
[[nodiscard]] TensorTypes InferUnpack(const OpArguments& op);
[[nodiscard]] TensorTypes InferTile(const OpArguments& op);    // attribute dims: the extents wanted
[[nodiscard]] TensorTypes InferGather(const OpArguments& op);  // table, indices
[[nodiscard]] TensorTypes InferSegmentSum(const OpArguments& op);  // values, indices
[[nodiscard]] TensorTypes InferOneHot(const OpArguments& op);

// Throws InputError: "op `type`: found shapes A, B, expected `expected`".
[[noreturn]] void RefuseShapes(const OpArguments& op, const std::string& expected);
// Refuses another number of inputs.
void NeedInputs(const OpArguments& op, std::size_t count);
// Refuses `axis` outside [0, rank).
void NeedAxis(const OpArguments& op, std::int64_t axis, std::size_t rank);

}  // namespace opyard::graphs
