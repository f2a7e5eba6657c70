#include "sim/engine/lowering/kernel_graph.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/base/check.h"
#include "sim/engine/lowering/releases.h"
#include "sim/graph/placeto_reads.h"

namespace opyard::sim {
namespace {

// Who reads the tensor, and who waits for the op.
struct Readers {
  std::vector<std::vector<OpId>> of_tensor;  // [num_tensors], by TensorId
  std::vector<std::vector<OpId>> of_op;      // [num_ops]: control consumers
  bool share_storage = true;                 // aliases count
};

Readers ReadersOf(const OpGraph& graph) {
  Readers readers;
  for (std::size_t t = 0; t < graph.num_tensors(); ++t) {
    const auto consumers = graph.consumers(TensorId(t));
    readers.of_tensor.emplace_back(consumers.begin(), consumers.end());
  }
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    const auto consumers = graph.control_consumers(OpId(op));
    readers.of_op.emplace_back(consumers.begin(), consumers.end());
  }
  return readers;
}

Readers ReadersForPlaceto(const OpGraph& graph) {
  Readers readers{.of_tensor = std::vector<std::vector<OpId>>(graph.num_tensors()),
                  .of_op = std::vector<std::vector<OpId>>(graph.num_ops()),
                  .share_storage = false};
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const PlacetoReads reads = ReadsForPlaceto(graph, OpId(i));
    for (const TensorId tensor : reads.tensors) {
      readers.of_tensor[tensor.index()].push_back(OpId(i));
    }
    for (const OpId before : reads.signals) {
      readers.of_op[before.index()].push_back(OpId(i));
    }
  }
  return readers;
}

// Fills a KernelGraph part by part, in dependency order.
class GraphLowering {
 public:
  GraphLowering(const OpGraph& graph, OnePer one_per, Readers readers)
      : graph_(graph),
        one_per_(one_per),
        readers_(std::move(readers)),
        order_(graph.topological_order()) {
    result_.num_kernels = graph.num_ops();
    result_.num_tensors = graph.num_tensors();
    result_.release_ps = ReleasesOf(graph);
  }

  KernelGraph Finish() {
    NumberTensors();
    ConnectConsumers();
    AddKernels();
    ConnectInputs(result_, count_);
    CountUses();
    ResolveAliases();
    return std::move(result_);
  }

 private:
  void NumberTensors() {
    KernelGraph& g = result_;
    tensor_of_ = LoweredOrderOfTensors(graph_);
    lowered_.resize(g.num_tensors);
    for (std::size_t t = 0; t < g.num_tensors; ++t) {
      lowered_[tensor_of_[t].index()] = Size32(t);
      g.producer.push_back(graph_.topological_index(graph_.tensor(tensor_of_[t]).producer));
      g.origin.push_back(Size32(t));
    }
  }

  void ConnectConsumers() {
    KernelGraph& g = result_;
    for (const TensorId id : tensor_of_) {
      const Tensor& tensor = graph_.tensor(id);
      g.tensors.push_back({.bytes = tensor.bytes.count,
                           .first_consumer = Size32(g.consumers.size()),
                           .alias = tensor.alias,
                           .keep = tensor.keep,
                           .aliases_params = graph_.aliases_params(id)});
      for (const OpId consumer : readers_.of_tensor[id.index()]) {
        g.consumers.push_back(graph_.topological_index(consumer));
        g.edge_producer.push_back(graph_.topological_index(tensor.producer));
      }
      std::sort(g.consumers.begin() + g.tensors.back().first_consumer, g.consumers.end());
    }
    g.tensors.push_back({.first_consumer = Size32(g.consumers.size())});
  }

  void AddKernels() {
    KernelGraph& g = result_;
    std::int32_t next_output = 0;
    for (const OpId id : order_) {
      const Op& op = graph_.op(id);
      Kernel kernel{.first_output = next_output,
                    .first_control = Size32(g.control_consumers.size())};
      kernel.workspace_bytes = op.workspace_bytes.count;
      kernel.start_bytes = op.workspace_bytes.count;
      next_output += Size32(graph_.num_outputs(id));
      for (std::int32_t t = kernel.first_output; t < next_output; ++t) {
        const KernelTensor& tensor = g.tensors[At(t)];
        kernel.start_bytes += tensor.alias == Alias::kNone ? tensor.bytes : 0;
      }
      for (const OpId consumer : readers_.of_op[id.index()]) {
        g.control_consumers.push_back(graph_.topological_index(consumer));
      }
      g.kernels.push_back(kernel);
    }
    g.kernels.push_back(
        {.first_output = next_output, .first_control = Size32(g.control_consumers.size())});
  }

  // A tensor that an op reads twice is two transfers when every edge has its own.
  void CountUses() {
    KernelGraph& g = result_;
    g.num_uses = g.num_edges();
    if (one_per_ != OnePer::kEdge) {
      return;
    }
    g.num_uses = 0;
    for (std::size_t t = 0; t < g.num_tensors; ++t) {
      for (std::int32_t e = g.tensors[t].first_consumer; e < g.tensors[t + 1].first_consumer; ++e) {
        const auto inputs = graph_.inputs(order_[At(g.consumers[At(e)])]);
        g.edge_uses.push_back(
            Size32(static_cast<std::size_t>(std::ranges::count(inputs, tensor_of_[t]))));
        g.num_uses += At(g.edge_uses.back());
      }
    }
  }

  void ResolveAliases() {
    KernelGraph& g = result_;
    for (std::size_t t = 0; t < g.num_tensors; ++t) {
      if (!readers_.share_storage || g.tensors[t].alias != Alias::kInput) {
        continue;
      }
      const TensorId aliased = graph_.tensor(tensor_of_[t]).aliased;
      const std::size_t source = At(lowered_[aliased.index()]);
      const auto first = g.consumers.begin() + g.tensors[source].first_consumer;
      const auto last = g.consumers.begin() + g.tensors[source + 1].first_consumer;
      const auto edge = std::lower_bound(first, last, g.producer[t]);
      OPYARD_CHECK(edge != last && *edge == g.producer[t], "an alias to a tensor that is not read");
      g.tensors[t].alias_edge = static_cast<std::int32_t>(edge - g.consumers.begin());
    }
  }

  KernelGraph result_;
  const OpGraph& graph_;
  OnePer one_per_;
  Readers readers_;
  std::span<const OpId> order_;
  std::vector<TensorId> tensor_of_;
  std::vector<std::int32_t> lowered_;  // inverse of tensor_of_
  std::vector<std::int32_t> count_;
};

}  // namespace

void ConnectInputs(KernelGraph& graph, std::vector<std::int32_t>& count) {
  count.assign(graph.num_kernels, 0);
  for (const std::int32_t consumer : graph.consumers) {
    ++count[At(consumer)];
  }
  graph.num_dependencies = count;
  for (const std::int32_t consumer : graph.control_consumers) {
    ++graph.num_dependencies[At(consumer)];
  }
  graph.sources.clear();
  std::int32_t next = 0;
  for (std::size_t k = 0; k < graph.num_kernels; ++k) {
    if (graph.num_dependencies[k] == 0) {
      graph.sources.push_back(Size32(k));
    }
    graph.kernels[k].first_input = next;
    next += count[k];
    count[k] = graph.kernels[k].first_input;
  }
  graph.kernels[graph.num_kernels].first_input = next;
  for (Kernel& kernel : graph.kernels) {
    kernel.first_edge = graph.tensors[At(kernel.first_output)].first_consumer;
  }
  graph.input_edges.resize(graph.consumers.size());
  for (std::size_t edge = 0; edge < graph.consumers.size(); ++edge) {
    std::int32_t& slot = count[At(graph.consumers[edge])];
    graph.input_edges[At(slot++)] = static_cast<std::int32_t>(edge);
  }
}

std::vector<TensorId> LoweredOrderOfTensors(const OpGraph& graph) {
  std::vector<TensorId> order;
  order.reserve(graph.num_tensors());
  for (const OpId op : graph.topological_order()) {
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      order.push_back(graph.output(op, i));
    }
  }
  return order;
}

KernelGraph LowerGraph(const OpGraph& graph, OnePer one_per) {
  return GraphLowering(graph, one_per, ReadersOf(graph)).Finish();
}

KernelGraph LowerGraphForPlaceto(const OpGraph& graph, OnePer one_per) {
  KernelGraph g = GraphLowering(graph, one_per, ReadersForPlaceto(graph)).Finish();
  for (Kernel& kernel : g.kernels) {
    kernel.start_bytes = kernel.workspace_bytes;
  }
  std::ranges::fill(g.edge_uses, 1);
  g.num_uses = g.num_edges();
  for (std::size_t t = 0; t < g.num_tensors; ++t) {
    KernelTensor& tensor = g.tensors[t];
    tensor.keep = false;
    if (tensor.alias != Alias::kParams) {
      tensor.alias = Alias::kNone;
      g.kernels[At(g.producer[t])].start_bytes += tensor.bytes;
    }
  }
  return g;
}

}  // namespace opyard::sim
