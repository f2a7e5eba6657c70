#include "sim/trace/tensor_copies.h"

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
  ReaderNaming(const Timeline& timeline, const TensorReaders& readers, const Plan& plan)
      : timeline_(timeline), readers_(readers), plan_(plan) {
    for (const TransferPriority& given : plan.transfer_priority) {
      given_priorities_.emplace(given.tensor, given.destination);
    }
  }

  // Copies of one tensor to one device take the same channels and the same room, so they start in
  // their order: (priority descending, reader, argument).
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
    std::vector<std::pair<std::int64_t, std::int32_t>> readers;  // negated priority, kernel
    for (const OpId reader : readers_.readers(key.tensor)) {
      if (plan_.placement[reader.index()] == key.destination) {
        const std::int32_t kernel = timeline_.kernel_of[reader.index()];
        readers.emplace_back(-EdgePriority(key, kernel), kernel);
      }
    }
    std::ranges::sort(readers);
    std::vector<std::int32_t> kernels;
    std::ranges::transform(
        readers, std::back_inserter(kernels), &std::pair<std::int64_t, std::int32_t>::second);
    return kernels;
  }

  // Where the plan says something about the tensor, it is the same for all its readers there.
  [[nodiscard]] std::int64_t EdgePriority(const CopyKey& key, std::int32_t kernel) const {
    if (given_priorities_.contains({key.tensor, key.destination}) ||
        plan_.queue == QueueDiscipline::kFifo || plan_.op_priority.empty()) {
      return 0;
    }
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (const OpId op : timeline_.ops(static_cast<std::size_t>(kernel))) {
      greatest = std::max(greatest, plan_.op_priority[op.index()]);
    }
    return greatest;
  }

  const Timeline& timeline_;
  const TensorReaders& readers_;
  const Plan& plan_;
  std::set<std::pair<TensorId, DeviceId>> given_priorities_;
};

}  // namespace

std::vector<TensorCopy> FindCopies(const Timeline& timeline,
                                   const TensorReaders& readers,
                                   const Plan& plan,
                                   OnePer one_per) {
  std::vector<TensorCopy> copies;
  for (std::size_t i = 0; i < timeline.num_transfers(); ++i) {
    for (const DeviceId destination : timeline.destinations_of(i)) {
      const CopyKey key{.tensor = timeline.transfers[i].tensor, .destination = destination};
      copies.push_back({.key = key, .transfer = static_cast<std::int32_t>(i)});
    }
  }
  std::ranges::stable_sort(copies, {}, &TensorCopy::key);
  if (one_per == OnePer::kEdge) {
    ReaderNaming(timeline, readers, plan).NameReaders(copies);
  }
  return copies;
}

}  // namespace opyard::sim
