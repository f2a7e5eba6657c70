#include "graphs/zoo/model_size.h"

#include "sim/graph/element_bytes.h"

namespace opyard::graphs {

std::int64_t NumParameters(const sim::OpGraph& graph) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const sim::Op& op = graph.op(OpId(i));
    if (op.type == "Variable" && op.phase == sim::Phase::kForward) {
      const sim::Tensor& weight = graph.tensor(graph.output(OpId(i), 0));
      count += weight.bytes.count * 8 / sim::ElementBits(weight.dtype);
    }
  }
  return count;
}

Flops HeavyFlops(const sim::OpGraph& graph, sim::Phase phase) {
  Flops sum;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (graph.work_shape(OpId(i)) != nullptr && graph.op(OpId(i)).phase == phase) {
      sum = sum + graph.op(OpId(i)).flops;
    }
  }
  return sum;
}

}  // namespace opyard::graphs
