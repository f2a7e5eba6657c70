#include "sim/fusion/stream_kernels.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/array_index.h"

namespace opyard::sim {
namespace {

// Follows the streams over ops and kernels.
class StreamKernels {
 public:
  StreamKernels(const FusionGraph& graph, const Streams& streams, const Kernels& kernels)
      : g_(graph),
        s_(streams),
        k_(kernels),
        is_apart_(kernels.num_kernels),
        has_run_(graph.num_ops),
        head_(streams.first),
        sleepers_(graph.num_ops) {}

  // [kernels]: 1 for those that are forbidden.
  [[nodiscard]] std::vector<std::uint8_t> FindForbidden() {
    for (std::size_t kernel = 0; kernel < k_.num_kernels; ++kernel) {
      is_apart_[kernel] = IsInOneStream(kernel) ? 0 : 1;
    }
    for (std::size_t stream = 0; stream < head_.size(); ++stream) {
      awake_.push_back(static_cast<std::int32_t>(stream));
    }
    do {
      while (!awake_.empty()) {
        const std::int32_t stream = awake_.back();
        awake_.pop_back();
        GoOn(stream);
      }
    } while (TakeOneApart());
    return std::move(is_apart_);
  }

 private:
  [[nodiscard]] bool IsInOneStream(std::size_t kernel) const {
    const auto ops = k_.ops_of(kernel);
    return std::ranges::all_of(ops, [&](std::int32_t op) {
      return s_.stream_of[At(op)] == s_.stream_of[At(ops.front())];
    });
  }

  // Runs what heads the stream until something has to wait, or all has run.
  void GoOn(std::int32_t stream) {
    for (std::int32_t& head = head_[At(stream)]; head != Streams::kNone; head = s_.next[At(head)]) {
      if (has_run_[At(head)] != 0) {
        continue;  // with the first op of its kernel
      }
      if (const std::optional<std::int32_t> awaited = FirstAwaited(head)) {
        sleepers_[At(*awaited)].push_back(stream);
        return;
      }
      Run(head);
    }
  }

  // An op that has not run and that the kernel of `op`, or `op` where that is apart, waits for.
  [[nodiscard]] std::optional<std::int32_t> FirstAwaited(std::int32_t op) const {
    const std::int32_t kernel = k_.kernel_of[At(op)];
    if (is_apart_[At(kernel)] != 0) {
      return FirstAwaitedByOp(op, -1);
    }
    for (const std::int32_t member : k_.ops_of(At(kernel))) {
      if (const std::optional<std::int32_t> awaited = FirstAwaitedByOp(member, kernel)) {
        return awaited;
      }
    }
    return std::nullopt;
  }

  // Ops of the kernel `own` are not waited for.
  [[nodiscard]] std::optional<std::int32_t> FirstAwaitedByOp(std::int32_t op,
                                                             std::int32_t own) const {
    const auto predecessors = g_.predecessors_of(op);
    const auto awaited = std::ranges::find_if(predecessors, [&](std::int32_t before) {
      return has_run_[At(before)] == 0 && k_.kernel_of[At(before)] != own;
    });
    return awaited == predecessors.end() ? std::nullopt : std::optional(*awaited);
  }

  void Run(std::int32_t op) {
    const std::int32_t kernel = k_.kernel_of[At(op)];
    if (is_apart_[At(kernel)] != 0) {
      RunOp(op);
      return;
    }
    for (const std::int32_t member : k_.ops_of(At(kernel))) {
      RunOp(member);
    }
  }

  void RunOp(std::int32_t op) {
    has_run_[At(op)] = 1;
    awake_.insert(awake_.end(), sleepers_[At(op)].begin(), sleepers_[At(op)].end());
    sleepers_[At(op)].clear();
  }

  // False if no kernel stands in the way.
  [[nodiscard]] bool TakeOneApart() {
    std::optional<std::pair<std::int32_t, std::int32_t>> least;  // kernel, its stream
    for (std::size_t stream = 0; stream < head_.size(); ++stream) {
      const std::int32_t head = head_[stream];
      if (head == Streams::kNone || FirstAwaitedByOp(head, -1).has_value()) {
        continue;
      }
      const std::pair candidate(k_.kernel_of[At(head)], static_cast<std::int32_t>(stream));
      least = least.has_value() ? std::min(*least, candidate) : candidate;
    }
    if (least.has_value()) {
      is_apart_[At(least->first)] = 1;
      awake_.push_back(least->second);
    }
    return least.has_value();
  }

  const FusionGraph& g_;
  const Streams& s_;
  const Kernels& k_;
  std::vector<std::uint8_t> is_apart_;  // by kernel
  std::vector<std::uint8_t> has_run_;   // by op
  std::vector<std::int32_t> head_;      // by stream: the first op that may not have run
  std::vector<std::int32_t> awake_;     // streams that may go on
  std::vector<std::vector<std::int32_t>> sleepers_;  // by op: streams that wait for it
};

// The kernels with the ops of those that are apart as kernels of their own, numbered anew.
Kernels WithoutForbidden(const Kernels& kernels, const std::vector<std::uint8_t>& is_apart) {
  const std::size_t num_ops = kernels.kernel_of.size();
  Kernels left{.kernel_of = std::vector<std::int32_t>(num_ops, -1)};
  const auto add = [&](std::span<const std::int32_t> ops) {
    left.first_op.push_back(static_cast<std::int32_t>(left.ops.size()));
    for (const std::int32_t op : ops) {
      left.kernel_of[At(op)] = static_cast<std::int32_t>(left.num_kernels);
      left.ops.push_back(op);
    }
    ++left.num_kernels;
  };
  for (std::size_t k = 0; k < num_ops; ++k) {  // by the least of their ops
    const auto op = static_cast<std::int32_t>(k);
    const std::size_t kernel = At(kernels.kernel_of[k]);
    if (is_apart[kernel] != 0) {
      add(std::span(&op, 1));
    } else if (left.kernel_of[k] < 0) {
      add(kernels.ops_of(kernel));
    }
  }
  left.first_op.push_back(static_cast<std::int32_t>(left.ops.size()));
  for (const std::int32_t kernel : kernels.topological_order) {
    const auto ops = kernels.ops_of(At(kernel));
    for (const std::int32_t op : ops.first(is_apart[At(kernel)] != 0 ? ops.size() : 1)) {
      left.topological_order.push_back(left.kernel_of[At(op)]);
    }
  }
  return left;
}

}  // namespace

void TakeApartForStreams(const FusionGraph& graph, const Streams& streams, Kernels& kernels) {
  const std::vector<std::uint8_t> is_apart = StreamKernels(graph, streams, kernels).FindForbidden();
  if (std::ranges::find(is_apart, 1) != is_apart.end()) {
    kernels = WithoutForbidden(kernels, is_apart);
  }
}

}  // namespace opyard::sim
