#include "agents/classical/gp_dfs/depth_first_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace opyard::agents {
namespace {

// The weight of an op, which decides which op is visited first.
struct Weight {
  double extra_readers = 0.0;
  double bytes = 0.0;
};

class DepthFirstVisit {
 public:
  explicit DepthFirstVisit(const sim::OpGraph& graph)
      : graph_(graph), weights_(WeightsOf(graph)), is_visited_(graph.num_ops(), 0) {}

  std::vector<OpId> Visit() && {
    std::vector<OpId> sinks;
    for (const OpId op : graph_.topological_order()) {
      if (NumReaders(graph_, op) == 0 && graph_.control_consumers(op).empty()) {
        sinks.push_back(op);
      }
    }
    Sort(sinks);
    for (const OpId sink : sinks) {
      VisitFrom(sink);
    }
    return std::move(order_);
  }

 private:
  // An op, and those that it waits for and that are yet to be visited: the last comes first.
  struct Frame {
    OpId op;
    std::vector<OpId> before;
  };

  static std::size_t NumReaders(const sim::OpGraph& graph, OpId op) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
      count += graph.consumers(graph.output(op, k)).size();
    }
    return count;
  }

  // The ops that `op` waits for, each once, by id.
  static std::vector<OpId> Before(const sim::OpGraph& graph, OpId op) {
    std::vector<OpId> before;
    for (const TensorId input : graph.inputs(op)) {
      before.push_back(graph.tensor(input).producer);
    }
    const auto control_inputs = graph.control_inputs(op);
    before.insert(before.end(), control_inputs.begin(), control_inputs.end());
    std::ranges::sort(before);
    before.erase(std::ranges::unique(before).begin(), before.end());
    return before;
  }

  static Weight OwnWeight(const sim::OpGraph& graph, OpId op) {
    const std::size_t readers = NumReaders(graph, op);
    Weight weight{.extra_readers = readers > 1 ? static_cast<double>(readers - 1) : 0.0};
    for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
      const sim::Tensor& tensor = graph.tensor(graph.output(op, k));
      weight.bytes +=
          tensor.alias == sim::Alias::kNone ? static_cast<double>(tensor.bytes.count) : 0.0;
    }
    return weight;
  }

  static std::vector<Weight> WeightsOf(const sim::OpGraph& graph) {
    std::vector<Weight> weights(graph.num_ops());
    const auto most_readers = static_cast<double>(graph.num_ops());
    double most_bytes = 0.0;
    for (const OpId op : graph.topological_order()) {
      Weight& weight = weights[op.index()];
      weight = OwnWeight(graph, op);
      most_bytes += weight.bytes;
      for (const OpId before : Before(graph, op)) {
        weight.extra_readers += weights[before.index()].extra_readers;
        weight.bytes += weights[before.index()].bytes;
      }
      weight.extra_readers = std::min(weight.extra_readers, most_readers);
      weight.bytes = std::min(weight.bytes, most_bytes);
    }
    return weights;
  }

  void Sort(std::vector<OpId>& ops) const {
    std::ranges::sort(ops, {}, [&](OpId op) {
      const Weight& weight = weights_[op.index()];
      return std::tuple(-weight.extra_readers, -weight.bytes, graph_.topological_index(op));
    });
  }

  [[nodiscard]] Frame Enter(OpId op) {
    is_visited_[op.index()] = 1;
    Frame frame{.op = op, .before = Before(graph_, op)};
    Sort(frame.before);
    std::ranges::reverse(frame.before);
    return frame;
  }

  // Graphs are deeper than a stack of calls may be.
  void VisitFrom(OpId sink) {
    std::vector<Frame> frames;
    frames.push_back(Enter(sink));
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.before.empty()) {
        order_.push_back(frame.op);
        frames.pop_back();
        continue;
      }
      const OpId before = frame.before.back();
      frame.before.pop_back();
      if (is_visited_[before.index()] == 0) {
        frames.push_back(Enter(before));
      }
    }
  }

  const sim::OpGraph& graph_;
  std::vector<Weight> weights_;           // [num_ops]
  std::vector<std::uint8_t> is_visited_;  // [num_ops]
  std::vector<OpId> order_;
};

}  // namespace

std::vector<OpId> DepthFirstOrder(const sim::OpGraph& graph) {
  return DepthFirstVisit(graph).Visit();
}

}  // namespace opyard::agents
