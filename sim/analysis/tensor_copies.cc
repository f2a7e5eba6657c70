#include "sim/analysis/tensor_copies.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "sim/base/check.h"

namespace opyard::sim {
namespace {

// Finds out whom each of several transfers of one tensor to one device serves.
class ReaderNaming {
 public:
  ReaderNaming(const SimulatedStep& step, const Timeline& timeline, const TensorReaders& readers)
      : step_(step), timeline_(timeline), readers_(readers) {
    for (const TransferPriority& given : step.plan.transfer_priority) {
      given_priorities_.emplace(given.tensor, given.destination);
    }
  }

  // Copies of one tensor to one device take the same channels and the same room, so they start in
  // their order: (priority descending, topological index of the op that reads, argument).
  void NameReaders(std::vector<TensorCopy>& copies) const {
    for (auto first = copies.begin(); first != copies.end();) {
      const CopyKey key = first->key;
      for (const std::int32_t reader : ReadersInOrder(key)) {
        if (first == copies.end() || first->key != key) {
          break;
        }
        first->key.reader = reader;
        ++first;
      }
      OPYARD_CHECK(first == copies.end() || first->key != key, "a transfer that serves no edge");
    }
    std::ranges::stable_sort(copies, {}, &TensorCopy::key);
  }

 private:
  // The kernels that read the tensor of `key` on its device, once per argument.
  [[nodiscard]] std::vector<std::int32_t> ReadersInOrder(const CopyKey& key) const {
    struct Edge {
      std::int64_t priority = 0;
      std::int32_t op_index = 0;  // topological
      std::int32_t kernel = 0;
    };
    std::vector<Edge> edges;
    for (const OpId reader : readers_.readers(key.tensor)) {
      if (step_.plan.placement[reader.index()] == key.destination) {
        const std::int32_t kernel = timeline_.kernel_of[reader.index()];
        edges.push_back({.priority = EdgePriority(key, kernel),
                         .op_index = step_.graph.topological_index(reader),
                         .kernel = kernel});
      }
    }
    std::ranges::sort(
        edges, {}, [](const Edge& edge) { return std::pair(-edge.priority, edge.op_index); });
    std::vector<std::int32_t> kernels;
    std::ranges::transform(edges, std::back_inserter(kernels), &Edge::kernel);
    return kernels;
  }

  // Where the plan says something about the tensor, it is the same for all its readers there.
  [[nodiscard]] std::int64_t EdgePriority(const CopyKey& key, std::int32_t kernel) const {
    if (given_priorities_.contains({key.tensor, key.destination}) ||
        step_.plan.queue == QueueDiscipline::kFifo || step_.plan.op_priority.empty()) {
      return 0;
    }
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (const OpId op : timeline_.ops(static_cast<std::size_t>(kernel))) {
      greatest = std::max(greatest, step_.plan.op_priority[op.index()]);
    }
    return greatest;
  }

  const SimulatedStep& step_;
  const Timeline& timeline_;
  const TensorReaders& readers_;
  std::set<std::pair<TensorId, DeviceId>> given_priorities_;
};

}  // namespace

std::vector<TensorCopy> FindCopies(const SimulatedStep& step,
                                   const Timeline& timeline,
                                   const TensorReaders& readers) {
  std::vector<TensorCopy> copies;
  for (std::size_t i = 0; i < timeline.num_transfers(); ++i) {
    for (const DeviceId destination : timeline.destinations_of(i)) {
      const CopyKey key{.tensor = timeline.transfers[i].tensor, .destination = destination};
      copies.push_back({.key = key, .transfer = static_cast<std::int32_t>(i)});
    }
  }
  std::ranges::stable_sort(copies, {}, &TensorCopy::key);
  if (step.hardware.transfers.one_per == OnePer::kEdge) {
    ReaderNaming(step, timeline, readers).NameReaders(copies);
  }
  return copies;
}

}  // namespace opyard::sim
