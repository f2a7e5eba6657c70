#include "sim/analysis/tensor_readers.h"

#include <numeric>

#include "sim/graph/placeto_reads.h"

namespace opyard::sim {
namespace {

template <class Element>
std::span<const Element> Range(const std::vector<Element>& all,
                               const std::vector<std::int32_t>& first,
                               std::size_t index) {
  const auto begin = static_cast<std::size_t>(first[index]);
  return std::span(all).subspan(begin, static_cast<std::size_t>(first[index + 1]) - begin);
}

}  // namespace

TensorReaders::TensorReaders(const OpGraph& graph, Rules rules)
    : first_read_(1), first_signal_(1), first_reader_(graph.num_tensors() + 1) {
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId op(i);
    if (rules == Rules::kPlaceto) {
      const PlacetoReads reads = ReadsForPlaceto(graph, op);
      reads_.insert(reads_.end(), reads.tensors.begin(), reads.tensors.end());
      signals_.insert(signals_.end(), reads.signals.begin(), reads.signals.end());
    } else {
      reads_.insert(reads_.end(), graph.inputs(op).begin(), graph.inputs(op).end());
      const auto before = graph.control_inputs(op);
      signals_.insert(signals_.end(), before.begin(), before.end());
    }
    first_read_.push_back(static_cast<std::int32_t>(reads_.size()));
    first_signal_.push_back(static_cast<std::int32_t>(signals_.size()));
  }
  for (const TensorId tensor : reads_) {
    ++first_reader_[tensor.index() + 1];
  }
  std::partial_sum(first_reader_.begin(), first_reader_.end(), first_reader_.begin());
  readers_.resize(reads_.size());
  std::vector<std::int32_t> next(first_reader_.begin(), first_reader_.end() - 1);
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    for (const TensorId tensor : reads(OpId(i))) {
      readers_[static_cast<std::size_t>(next[tensor.index()]++)] = OpId(i);
    }
  }
}

std::span<const TensorId> TensorReaders::reads(OpId op) const {
  return Range(reads_, first_read_, op.index());
}

std::span<const OpId> TensorReaders::signals(OpId op) const {
  return Range(signals_, first_signal_, op.index());
}

std::span<const OpId> TensorReaders::readers(TensorId tensor) const {
  return Range(readers_, first_reader_, tensor.index());
}

}  // namespace opyard::sim
