#include "sim/cost/zero_cost.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace opyard::sim {
namespace {

// The spellings of TensorFlow, PyTorch, ONNX and HLO, sorted by byte value.
constexpr auto kZeroCostTypes = std::to_array<std::string_view>({
    "Arg",
    "Const",
    "Constant",
    "GetItem",
    "Input",
    "NoOp",
    "Output",
    "Parameter",
    "Placeholder",
    "PlaceholderWithDefault",
    "ReadVariableOp",
    "Return",
    "TupleGetItem",
    "VarHandleOp",
    "Variable",
    "VariableV2",
    "after-all",
    "bitcast",
    "constant",
    "get-tuple-element",
    "getitem",
    "parameter",
    "tuple",
});
static_assert(std::ranges::is_sorted(kZeroCostTypes));

bool IsView(const OpGraph& graph, OpId op) {
  const std::size_t num_outputs = graph.num_outputs(op);
  for (std::size_t i = 0; i < num_outputs; ++i) {
    if (graph.tensor(graph.output(op, i)).alias == Alias::kNone) {
      return false;
    }
  }
  return num_outputs > 0;
}

}  // namespace

bool IsZeroCost(const OpGraph& graph, OpId op) {
  if (graph.op(op).flops.count > 0.0 || graph.work_shape(op) != nullptr) {
    return false;
  }
  return std::ranges::binary_search(kZeroCostTypes, std::string_view(graph.op(op).type)) ||
         IsView(graph, op);
}

}  // namespace opyard::sim
