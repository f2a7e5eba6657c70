#include "sim/graph/op_graph.h"

namespace opyard::sim {
namespace {

// The items [first[i], first[i + 1]) of `items`.
template <class T>
std::span<const T> Range(const std::vector<T>& items,
                         const std::vector<std::int32_t>& first,
                         std::size_t i) {
  const auto begin = static_cast<std::size_t>(first[i]);
  return std::span<const T>(items).subspan(begin, static_cast<std::size_t>(first[i + 1]) - begin);
}

}  // namespace

std::span<const TensorId> OpGraph::inputs(OpId op) const {
  return Range(inputs_, first_input_, op.index());
}

std::span<const OpId> OpGraph::control_inputs(OpId op) const {
  return Range(control_inputs_, first_control_input_, op.index());
}

TensorId OpGraph::output(OpId op, std::size_t index) const {
  return TensorId(static_cast<std::size_t>(first_output_[op.index()]) + index);
}

std::size_t OpGraph::num_outputs(OpId op) const {
  return static_cast<std::size_t>(first_output_[op.index() + 1] - first_output_[op.index()]);
}

std::span<const OpId> OpGraph::consumers(TensorId tensor) const {
  return Range(consumers_, first_consumer_, tensor.index());
}

std::span<const OpId> OpGraph::control_consumers(OpId op) const {
  return Range(control_consumers_, first_control_consumer_, op.index());
}

std::span<const std::int64_t> OpGraph::shape(TensorId tensor) const {
  return Range(dims_, first_dim_, tensor.index());
}

const WorkShape* OpGraph::work_shape(OpId op) const {
  const std::int32_t index = work_index_[op.index()];
  return index < 0 ? nullptr : &works_[static_cast<std::size_t>(index)];
}

std::span<const MeasuredTime> OpGraph::measured_times(OpId op) const {
  return Range(measured_, first_measured_, op.index());
}

}  // namespace opyard::sim
