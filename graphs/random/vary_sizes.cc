#include "graphs/random/vary_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "sim/graph/element_bytes.h"
#include "sim/graph/op_graph_parts.h"

namespace opyard::graphs {
namespace {

constexpr double kDeviation = 0.5;
constexpr double kLargestFactor = 10.0;
constexpr double kMostBytes = 9e18;

// `count` · `factor`, rounded up to whole multiples of `step`.
std::int64_t ScaleSize(std::int64_t count, double factor, std::int64_t step) {
  const auto size = static_cast<double>(step);
  const double scaled = std::ceil(static_cast<double>(count) * factor / size) * size;
  if (scaled > kMostBytes) {
    throw InputError("a variant of this graph has more bytes than int64 holds");
  }
  return static_cast<std::int64_t>(scaled);
}

// The new bytes of all tensors, by id.
std::vector<Bytes> SampleSizes(const sim::OpGraph& graph, Rng& rng) {
  std::vector<Bytes> sizes(graph.num_tensors());
  std::vector<double> factors(graph.num_tensors(), 1.0);
  for (const OpId op : graph.topological_order()) {
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      const TensorId id = graph.output(op, i);
      const sim::Tensor& tensor = graph.tensor(id);
      double& factor = factors[id.index()];
      if (graph.aliases_params(id)) {
        factor = 1.0;
      } else if (tensor.alias == sim::Alias::kInput) {
        factor = factors[tensor.aliased.index()];
      } else {
        factor =
            std::clamp(std::exp(kDeviation * rng.Normal()), 1.0 / kLargestFactor, kLargestFactor);
      }
      const std::int64_t element = sim::PackedBytes(tensor.dtype, 1);
      const bool is_whole = tensor.bytes.count % element == 0;
      sizes[id.index()] =
          factor == 1.0 ? tensor.bytes
                        : Bytes{ScaleSize(tensor.bytes.count, factor, is_whole ? element : 1)};
    }
  }
  return sizes;
}

// Inputs and outputs of `op`, an input as often as it is read.
double TouchedBytes(const sim::OpGraph& graph, OpId op, const std::vector<Bytes>& sizes) {
  double sum = 0.0;
  for (const TensorId input : graph.inputs(op)) {
    sum += static_cast<double>(sizes[input.index()].count);
  }
  for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
    sum += static_cast<double>(sizes[graph.output(op, i).index()].count);
  }
  return sum;
}

void ScaleWork(double factor, sim::OpSpec& op) {
  op.flops.count = std::round(op.flops.count * factor);
  op.bytes_accessed = Bytes{ScaleSize(op.bytes_accessed->count, factor, 1)};
  op.workspace_bytes = Bytes{ScaleSize(op.workspace_bytes.count, factor, 1)};
  op.work.reset();
  for (sim::MeasuredTime& time : op.seconds) {
    time.seconds *= factor;
  }
}

}  // namespace

std::shared_ptr<const sim::OpGraph> VarySizes(const sim::OpGraph& graph,
                                              const std::string& name,
                                              std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Bytes> old_sizes;
  for (const sim::Tensor& tensor : graph.tensors()) {
    old_sizes.push_back(tensor.bytes);
  }
  const std::vector<Bytes> new_sizes = SampleSizes(graph, rng);
  sim::OpGraphBuilder builder(name,
                              "sizes varied, seed " + std::to_string(seed) +
                                  (graph.origin().empty() ? "" : "; " + graph.origin()));
  builder.SetMeasured(graph.measured());
  std::vector<sim::OpSpec> specs = sim::SpecsOf(graph);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const OpId op(i);
    for (std::size_t output = 0; output < specs[i].outputs.size(); ++output) {
      const std::size_t tensor = graph.output(op, output).index();
      if (new_sizes[tensor] != old_sizes[tensor]) {
        specs[i].outputs[output].bytes = new_sizes[tensor];
        specs[i].outputs[output].shape.clear();
      }
    }
    const double before = TouchedBytes(graph, op, old_sizes);
    const double after = TouchedBytes(graph, op, new_sizes);
    if (before != after) {
      ScaleWork(after / before, specs[i]);
    }
    builder.AddOp(std::move(specs[i]));
  }
  return builder.Build(name);
}

}  // namespace opyard::graphs
