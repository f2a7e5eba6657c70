#include "graphs/microbatches/divide_batch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graphs/microbatches/batch_tensors.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph_parts.h"

namespace opyard::graphs {
namespace {

std::int64_t DividedUp(std::int64_t count, std::int64_t divisor) {
  return count / divisor + (count % divisor != 0 ? 1 : 0);
}

double Elements(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

// The bytes that an op reads and makes, an input as often as it is an argument.
struct TouchedBytes {
  double shrinking = 0.0;
  double staying = 0.0;
};

class BatchDivision {
 public:
  BatchDivision(const sim::OpGraph& graph, std::int64_t divisor, std::optional<std::int64_t> batch)
      : graph_(graph),
        divisor_(divisor),
        batch_(batch),
        shrinks_(FindBatchTensors(graph, divisor, batch)) {}

  std::shared_ptr<const sim::OpGraph> Build() {
    sim::OpGraphBuilder builder(graph_.name(),
                                "1/" + std::to_string(divisor_) + " of the batch" +
                                    (graph_.origin().empty() ? "" : "; " + graph_.origin()));
    builder.SetMeasured(graph_.measured());
    std::vector<sim::OpSpec> specs = sim::SpecsOf(graph_);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (TouchedBy(OpId(i)).shrinking > 0.0) {
        DivideWork(OpId(i), specs[i]);
      }
      DivideOutputs(OpId(i), specs[i]);
      builder.AddOp(std::move(specs[i]));
    }
    return builder.Build(graph_.name());
  }

 private:
  [[nodiscard]] bool Shrinks(TensorId tensor) const { return shrinks_[tensor.index()]; }

  [[nodiscard]] TouchedBytes TouchedBy(OpId op) const {
    TouchedBytes touched;
    const auto add = [&](TensorId id) {
      const auto bytes = static_cast<double>(graph_.tensor(id).bytes.count);
      (Shrinks(id) ? touched.shrinking : touched.staying) += bytes;
    };
    std::ranges::for_each(graph_.inputs(op), add);
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      add(graph_.output(op, i));
    }
    touched.staying += static_cast<double>(graph_.op(op).weight_bytes.count);
    return touched;
  }

  void DivideOutputs(OpId op, sim::OpSpec& spec) const {
    for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
      sim::OutputSpec& output = spec.outputs[i];
      if (!Shrinks(graph_.output(op, i))) {
        continue;
      }
      output.bytes = Bytes{DividedUp(output.bytes.count, divisor_)};
      const auto extent = FindBatchExtent(output.shape, batch_.value_or(divisor_));
      if (extent.has_value()) {
        output.shape[*extent] /= divisor_;
      } else {
        output.shape.clear();
      }
    }
  }

  void DivideWork(OpId op, sim::OpSpec& spec) const {
    const auto divisor = static_cast<double>(divisor_);
    const TouchedBytes touched = TouchedBy(op);
    const double all = touched.shrinking + touched.staying;
    const auto traffic = static_cast<double>(spec.bytes_accessed->count);
    const double left =
        traffic < all ? 1.0 / divisor : (touched.shrinking / divisor + touched.staying) / all;
    spec.bytes_accessed = Bytes{static_cast<std::int64_t>(std::round(traffic * left))};
    spec.flops.count /= divisor;
    spec.workspace_bytes = Bytes{DividedUp(spec.workspace_bytes.count, divisor_)};
    for (sim::MeasuredTime& time : spec.seconds) {
      time.seconds /= divisor;
    }
    if (auto* gemm = spec.work ? std::get_if<sim::GemmShape>(&*spec.work) : nullptr) {
      std::int64_t& extent = BatchExtentOf(op, *gemm);
      extent = DividedUp(extent, divisor_);
    } else if (auto* conv = spec.work ? std::get_if<sim::ConvShape>(&*spec.work) : nullptr) {
      conv->n = DividedUp(conv->n, divisor_);
    } else if (auto* rnn = spec.work ? std::get_if<sim::RnnShape>(&*spec.work) : nullptr) {
      rnn->batch = DividedUp(rnn->batch, divisor_);
    } else if (auto* attention =
                   spec.work ? std::get_if<sim::AttentionShape>(&*spec.work) : nullptr) {
      attention->batch = DividedUp(attention->batch, divisor_);
    }
  }

  // The extent of a product that holds the batch.
  [[nodiscard]] std::int64_t& BatchExtentOf(OpId op, sim::GemmShape& gemm) const {
    const std::int64_t unit = batch_.value_or(divisor_);
    const bool has_output = graph_.num_outputs(op) > 0;
    if (gemm.batch > 1 && gemm.batch % unit == 0) {
      return gemm.batch;
    }
    if (has_output && !Shrinks(graph_.output(op, 0))) {
      return gemm.k;
    }
    const bool has_left = ReadsShrinking(op, Elements(gemm.batch, gemm.m, gemm.k));
    const bool has_right = ReadsShrinking(op, Elements(gemm.batch, gemm.k, gemm.n));
    return has_right && (!has_left || gemm.m % divisor_ != 0) ? gemm.n : gemm.m;
  }

  [[nodiscard]] bool ReadsShrinking(OpId op, double elements) const {
    return std::ranges::any_of(graph_.inputs(op), [&](TensorId id) {
      const auto shape = graph_.shape(id);
      double count = 1.0;
      for (const std::int64_t extent : shape) {
        count *= static_cast<double>(extent);
      }
      return Shrinks(id) && !shape.empty() && count == elements;
    });
  }

  const sim::OpGraph& graph_;
  std::int64_t divisor_;
  std::optional<std::int64_t> batch_;
  std::vector<bool> shrinks_;  // of tensor i
};

}  // namespace

std::optional<std::int64_t> FindBatch(const sim::OpGraph& graph) {
  std::vector<std::pair<std::int64_t, int>> counts;  // by first appearance
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const bool is_input = graph.ops()[i].type == "Placeholder" && graph.num_outputs(OpId(i)) > 0;
    const auto shape =
        is_input ? graph.shape(graph.output(OpId(i), 0)) : std::span<const std::int64_t>();
    if (shape.empty() || shape[0] < 1) {
      continue;
    }
    const auto found = std::ranges::find(counts, shape[0], [](const auto& c) { return c.first; });
    if (found == counts.end()) {
      counts.emplace_back(shape[0], 1);
    } else {
      ++found->second;
    }
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

std::shared_ptr<const sim::OpGraph> DivideBatch(const std::shared_ptr<const sim::OpGraph>& graph,
                                                std::int64_t divisor,
                                                std::optional<std::int64_t> batch) {
  if (divisor == 1) {
    return graph;
  }
  const std::optional<std::int64_t> whole = batch.has_value() ? batch : FindBatch(*graph);
  if (whole.has_value() && *whole % divisor != 0) {
    throw InputError(
        "graph \"" + graph->name() + "\": found " + std::to_string(divisor) +
        " micro-batches, expected a divisor of the batch, " + std::to_string(*whole) +
        (batch.has_value()
             ? ""
             : " (the leading extent of most inputs; the option batch names another)"));
  }
  return BatchDivision(*graph, divisor, whole).Build();
}

}  // namespace opyard::graphs
