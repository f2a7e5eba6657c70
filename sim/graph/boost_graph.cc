#include "sim/graph/boost_graph.h"

#include <algorithm>

namespace opyard::sim {

OutEdgeIterator OutEdgeIterator::Begin(const OpGraph& graph, OpId op) {
  OutEdgeIterator begin(graph, op, 0);
  begin.SkipEmptyLists();
  return begin;
}

OutEdgeIterator OutEdgeIterator::End(const OpGraph& graph, OpId op) {
  return {graph, op, graph.num_outputs(op) + 1};
}

std::span<const OpId> OutEdgeIterator::Targets() const {
  return list_ < graph_->num_outputs(op_) ? graph_->consumers(graph_->output(op_, list_))
                                          : graph_->control_consumers(op_);
}

void OutEdgeIterator::SkipEmptyLists() {
  while (list_ <= graph_->num_outputs(op_) && position_ == Targets().size()) {
    ++list_;
    position_ = 0;
  }
}

OpEdge OutEdgeIterator::dereference() const {
  OpEdge edge{.from = op_, .to = Targets()[position_], .tensor = std::nullopt};
  if (list_ < graph_->num_outputs(op_)) {
    edge.tensor = graph_->output(op_, list_);
  }
  return edge;
}

void OutEdgeIterator::increment() {
  ++position_;
  SkipEmptyLists();
}

InEdgeIterator InEdgeIterator::Begin(const OpGraph& graph, OpId op) {
  return {graph, op, 0};
}

InEdgeIterator InEdgeIterator::End(const OpGraph& graph, OpId op) {
  return {graph, op, graph.inputs(op).size() + graph.control_inputs(op).size()};
}

bool InEdgeIterator::IsRepeated() const {
  const std::span<const TensorId> inputs = graph_->inputs(op_);
  if (position_ >= inputs.size()) {
    return false;
  }
  const std::span<const TensorId> before = inputs.first(position_);
  return std::ranges::find(before, inputs[position_]) != before.end();
}

OpEdge InEdgeIterator::dereference() const {
  const std::span<const TensorId> inputs = graph_->inputs(op_);
  if (position_ < inputs.size()) {
    const TensorId tensor = inputs[position_];
    return {.from = graph_->tensor(tensor).producer, .to = op_, .tensor = tensor};
  }
  return {.from = graph_->control_inputs(op_)[position_ - inputs.size()],
          .to = op_,
          .tensor = std::nullopt};
}

void InEdgeIterator::increment() {
  do {
    ++position_;
  } while (IsRepeated());
}

EdgeIterator EdgeIterator::Begin(const OpGraph& graph) {
  EdgeIterator begin(graph, 0);
  begin.edge_ = OutEdgeIterator::Begin(graph, OpId(std::size_t{0}));
  begin.SkipSinks();
  return begin;
}

EdgeIterator EdgeIterator::End(const OpGraph& graph) {
  return {graph, graph.num_ops()};
}

void EdgeIterator::SkipSinks() {
  while (edge_ == OutEdgeIterator::End(*graph_, OpId(op_))) {
    if (++op_ == graph_->num_ops()) {
      edge_ = OutEdgeIterator();
      return;
    }
    edge_ = OutEdgeIterator::Begin(*graph_, OpId(op_));
  }
}

void EdgeIterator::increment() {
  ++edge_;
  SkipSinks();
}

std::size_t num_edges(const OpGraph& graph) {
  std::size_t count = graph.num_control_edges();
  for (std::size_t tensor = 0; tensor < graph.num_tensors(); ++tensor) {
    count += graph.consumers(TensorId(tensor)).size();
  }
  return count;
}

std::size_t out_degree(OpId op, const OpGraph& graph) {
  std::size_t count = graph.control_consumers(op).size();
  for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
    count += graph.consumers(graph.output(op, i)).size();
  }
  return count;
}

std::size_t in_degree(OpId op, const OpGraph& graph) {
  const auto [begin, end] = in_edges(op, graph);
  return static_cast<std::size_t>(std::distance(begin, end));
}

}  // namespace opyard::sim
