#include "graphs/microbatches/gradient_sums.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "sim/base/error.h"
#include "sim/graph/element_bytes.h"

namespace opyard::graphs {
namespace {

std::set<Bytes> SizesOfParameters(const sim::OpGraph& graph, const std::vector<Pass>& passes) {
  std::set<Bytes> sizes;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const bool makes_parameters = passes[i] == Pass::kParameters && graph.num_outputs(OpId(i)) > 0;
    sizes.insert(makes_parameters ? graph.tensor(graph.output(OpId(i), 0)).bytes
                                  : graph.ops()[i].weight_bytes);
  }
  return sizes;
}

bool IsReadByUpdate(const sim::OpGraph& graph, TensorId tensor, const std::vector<Pass>& passes) {
  return std::ranges::any_of(graph.consumers(tensor),
                             [&](OpId op) { return passes[op.index()] == Pass::kUpdate; });
}

bool HasBackwardPass(const std::vector<sim::Phase>& phases) {
  return std::ranges::find(phases, sim::Phase::kBackward) != phases.end();
}

}  // namespace

std::vector<TensorId> SummedGradients(const sim::OpGraph& graph,
                                      const std::vector<sim::Phase>& phases,
                                      const std::vector<Pass>& passes) {
  const bool has_update = std::ranges::find(passes, Pass::kUpdate) != passes.end();
  const std::set<Bytes> sizes = SizesOfParameters(graph, passes);
  std::vector<TensorId> gradients;
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const sim::Tensor& tensor = graph.tensor(TensorId(i));
    const bool is_result = tensor.keep && graph.consumers(TensorId(i)).empty() &&
                           tensor.bytes > Bytes{} && sizes.contains(tensor.bytes);
    const bool is_summed = has_update ? IsReadByUpdate(graph, TensorId(i), passes) : is_result;
    if (is_summed && phases[tensor.producer.index()] == sim::Phase::kBackward) {
      gradients.emplace_back(i);
    }
  }
  if (has_update && gradients.empty() && HasBackwardPass(phases)) {
    throw InputError("graph \"" + graph.name() +
                     "\": found ops of the update that read no tensor of the backward pass, "
                     "expected the gradients of weights among their \"inputs\"");
  }
  return gradients;
}

GradientSum MakeGradientSum(const sim::OpGraph& graph,
                            TensorId gradient,
                            std::vector<sim::OpSpec>& specs) {
  const sim::Tensor& tensor = graph.tensor(gradient);
  const auto readers = graph.consumers(gradient);
  sim::OpSpec& partner = specs[(readers.empty() ? tensor.producer : readers.front()).index()];
  const std::string suffix =
      tensor.output_index == 0 ? "" : "_" + std::to_string(tensor.output_index);
  const std::string name = specs[tensor.producer.index()].name;
  if (partner.colocation.empty()) {
    partner.colocation = name + "/gradient_sum" + suffix;
  }
  const auto shape = graph.shape(gradient);
  const sim::OutputSpec output{.bytes = tensor.bytes,
                               .shape = {shape.begin(), shape.end()},
                               .dtype = tensor.dtype,
                               .alias = sim::Alias::kParams,
                               .keep = tensor.keep};
  GradientSum ops{.sum = {.name = name + "/gradient_sum" + suffix,
                          .type = "Variable",
                          .outputs = {output},
                          .bytes_accessed = Bytes{},
                          .param_bytes = tensor.bytes,
                          .weight_bytes = Bytes{},
                          .dtype = tensor.dtype,
                          .phase = sim::Phase::kUpdate,
                          .layer = partner.layer,
                          .module = partner.module,
                          .colocation = partner.colocation,
                          .device_kinds = partner.device_kinds},
                  .add = {.name = name + "/accumulate" + suffix,
                          .type = "Accumulate",
                          .outputs = {output},
                          .flops = Flops{static_cast<double>(tensor.bytes.count) * 8.0 /
                                         static_cast<double>(sim::ElementBits(tensor.dtype))},
                          .dtype = tensor.dtype,
                          .phase = sim::Phase::kBackward,
                          .layer = partner.layer,
                          .module = partner.module,
                          .colocation = partner.colocation,
                          .device_kinds = partner.device_kinds}};
  ops.add.outputs[0].alias = sim::Alias::kInput;
  return ops;
}

}  // namespace opyard::graphs
