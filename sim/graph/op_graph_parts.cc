#include "sim/graph/op_graph_parts.h"

#include <algorithm>

namespace opyard::sim {
namespace {

OutputSpec OutputOf(const OpGraph& graph, OpId op, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  OutputSpec output{
      .bytes = tensor.bytes, .dtype = tensor.dtype, .alias = tensor.alias, .keep = tensor.keep};
  output.shape.assign(graph.shape(id).begin(), graph.shape(id).end());
  if (tensor.alias == Alias::kInput) {
    const auto inputs = graph.inputs(op);
    output.alias_input =
        static_cast<std::int32_t>(std::ranges::find(inputs, tensor.aliased) - inputs.begin());
  }
  return output;
}

OpSpec SpecOf(const OpGraph& graph, OpId id) {
  const Op& op = graph.op(id);
  OpSpec spec{.name = op.name,
              .type = op.type,
              .flops = op.flops,
              .bytes_accessed = op.bytes_accessed,
              .param_bytes = op.param_bytes,
              .weight_bytes = op.weight_bytes,
              .workspace_bytes = op.workspace_bytes,
              .release = op.release,
              .dtype = op.dtype,
              .phase = op.phase,
              .layer = op.layer,
              .device_kinds = op.device_kinds,
              .fusion_class = op.fusion_class};
  for (const TensorId input : graph.inputs(id)) {
    const Tensor& tensor = graph.tensor(input);
    spec.inputs.push_back({.op = tensor.producer.value, .output = tensor.output_index});
  }
  for (const OpId before : graph.control_inputs(id)) {
    spec.control_inputs.push_back(before.value);
  }
  for (std::size_t output = 0; output < graph.num_outputs(id); ++output) {
    spec.outputs.push_back(OutputOf(graph, id, graph.output(id, output)));
  }
  if (op.module) {
    spec.module = graph.module_paths()[static_cast<std::size_t>(*op.module)];
  }
  if (op.colocation) {
    spec.colocation = graph.colocation_labels()[static_cast<std::size_t>(*op.colocation)];
  }
  if (const WorkShape* work = graph.work_shape(id)) {
    spec.work = *work;
  }
  spec.seconds.assign(graph.measured_times(id).begin(), graph.measured_times(id).end());
  return spec;
}

}  // namespace

std::vector<OpSpec> SpecsOf(const OpGraph& graph) {
  std::vector<OpSpec> specs;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    specs.push_back(SpecOf(graph, OpId(i)));
  }
  return specs;
}

}  // namespace opyard::sim
