// The tensors of a step that are added over its micro-batches, and the ops that add them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/microbatches/passes.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// True for an op that runs once a step, not once per micro-batch.
[[nodiscard]] inline bool RunsOnce(Pass pass) {
  return pass == Pass::kParameters || pass == Pass::kUpdate;
}

// The tensors to add up over micro-batches, ascending: what ops of pass update read of the backward
// pass; in a graph without such ops, the tensors of the backward pass that are kept, as large as a
// weight and read by nobody. Throws InputError where there is an update that reads none, though
// there is a backward pass.
[[nodiscard]] std::vector<TensorId> SummedGradients(const sim::OpGraph& graph,
                                                    const std::vector<sim::Phase>& phases,
                                                    const std::vector<Pass>& passes);

// The Variable in which the sum of `gradient` lies, and the op that adds one micro-batch to it:
// input 0 is the sum, input 1 the gradient, both still to be set.
struct GradientSum {
  sim::OpSpec sum;
  sim::OpSpec add;
};

// `specs` describe the ops of `graph`. Both ops share the device of the first reader of `gradient`,
// which is given a label for it where it has none.
[[nodiscard]] GradientSum MakeGradientSum(const sim::OpGraph& graph,
                                          TensorId gradient,
                                          std::vector<sim::OpSpec>& specs);

}  // namespace opyard::graphs
