#include "experiments/explain/decision_weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace opyard::experiments {
namespace {

using sim::CriticalPart;
using sim::PartKind;
using sim::SpanId;
using sim::SpanKind;

class Weighing {
 public:
  Weighing(const sim::Grouping& grouping, const sim::SimulatedStep& step, const sim::Timeline& t)
      : grouping_(grouping),
        step_(step),
        t_(t),
        devices_(static_cast<std::size_t>(grouping.num_groups)) {
    for (std::size_t g = 0; g < devices_.size(); ++g) {
      devices_[g].subject = static_cast<std::int32_t>(g);
    }
    for (std::size_t i = 0; i < step.plan.transfer_priority.size(); ++i) {
      const sim::TransferPriority& given = step.plan.transfer_priority[i];
      entry_of_copy_[{given.tensor, given.destination}] = static_cast<std::int32_t>(i);
    }
  }

  void AddPath(std::span<const CriticalPart> path) {
    // Backwards, so that the kernel which a transfer was for is known.
    for (auto part = path.rbegin(); part != path.rend(); ++part) {
      if (part->subject.kind == SpanKind::kKernel) {
        next_kernel_ = part->subject.index;
      }
      AddPart(*part);
    }
  }

  void AddMovedBytes() {
    const auto add = [this](std::int32_t kernel, SpanId transfer) {
      const auto index = static_cast<std::size_t>(transfer.index);
      for (const std::int32_t group : GroupsOf(kernel)) {
        devices_[static_cast<std::size_t>(group)].moved +=
            step_.graph.tensor(t_.transfers[index].tensor).bytes;
      }
    };
    for (std::size_t i = 0; i < t_.num_transfers(); ++i) {
      add(t_.transfers[i].producer, {SpanKind::kTransfer, static_cast<std::int32_t>(i)});
    }
    for (std::size_t k = 0; k < t_.num_kernels(); ++k) {
      for (const sim::Arrival& arrival : t_.arrivals_of(k)) {
        if (arrival.from.kind == SpanKind::kTransfer) {
          add(static_cast<std::int32_t>(k), arrival.from);
        }
      }
    }
  }

  std::vector<Decision> Sorted() const {
    std::vector<Decision> decisions = devices_;
    for (const auto& [decision, weight] : others_) {
      decisions.push_back({.kind = decision.first, .subject = decision.second, .weight = weight});
    }
    std::ranges::sort(decisions, {}, [](const Decision& d) {
      return std::tuple(-d.weight.picoseconds, -d.moved.count, d.kind, d.subject);
    });
    return decisions;
  }

 private:
  void AddPart(const CriticalPart& part) {
    std::set<std::int32_t> groups = GroupsOf(part.subject);
    if (part.behind.has_value()) {
      groups.merge(GroupsOf(*part.behind));
    }
    if (part.subject.kind == SpanKind::kTransfer) {
      groups.merge(GroupsOf(next_kernel_));
    }
    for (const std::int32_t group : groups) {
      devices_[static_cast<std::size_t>(group)].weight += part.duration();
    }
    if (part.kind == PartKind::kQueueWait) {
      AddToPriorities(part);
    }
    if (part.kind == PartKind::kChannelWait) {
      AddToTransfers(part);
    }
    if (!step_.plan.fusion_priority.empty()) {
      AddToFusion(part);
    }
  }

  void AddToPriorities(const CriticalPart& wait) {
    if (step_.plan.queue != sim::QueueDiscipline::kPriority || step_.plan.op_priority.empty()) {
      return;
    }
    for (const SpanId span : {wait.subject, *wait.behind}) {
      const OpId op = t_.ops(static_cast<std::size_t>(span.index)).front();
      others_[{DecisionKind::kPriority, op.value}] += wait.duration();
    }
  }

  void AddToTransfers(const CriticalPart& wait) {
    for (const SpanId span : {wait.subject, *wait.behind}) {
      const auto index = static_cast<std::size_t>(span.index);
      for (const DeviceId destination : t_.destinations_of(index)) {
        const auto given = entry_of_copy_.find({t_.transfers[index].tensor, destination});
        if (given != entry_of_copy_.end()) {
          others_[{DecisionKind::kTransfer, given->second}] += wait.duration();
        }
      }
    }
  }

  void AddToFusion(const CriticalPart& part) {
    std::set<std::int32_t> groups;
    for (const SpanId span : {part.subject, part.behind.value_or(part.subject)}) {
      if (span.kind == SpanKind::kKernel) {
        groups.merge(GroupsOf(span));
      }
    }
    for (const std::int32_t group : groups) {
      others_[{DecisionKind::kFusion, group}] += part.duration();
    }
  }

  // The groups of the ops of a kernel.
  [[nodiscard]] std::set<std::int32_t> GroupsOf(std::int32_t kernel) const {
    std::set<std::int32_t> groups;
    for (const OpId op : t_.ops(static_cast<std::size_t>(kernel))) {
      groups.insert(grouping_.group_of[op.index()]);
    }
    return groups;
  }

  // The groups of a kernel, or of the kernel that produces what is transferred.
  [[nodiscard]] std::set<std::int32_t> GroupsOf(SpanId span) const {
    return GroupsOf(span.kind == SpanKind::kKernel
                        ? span.index
                        : t_.transfers[static_cast<std::size_t>(span.index)].producer);
  }

  const sim::Grouping& grouping_;
  const sim::SimulatedStep& step_;
  const sim::Timeline& t_;
  std::map<std::pair<TensorId, DeviceId>, std::int32_t> entry_of_copy_;  // of transfer_priority
  std::vector<Decision> devices_;                                        // by group
  std::map<std::pair<DecisionKind, std::int32_t>, SimTime> others_;      // by kind and subject
  std::int32_t next_kernel_ = 0;
};

}  // namespace

std::vector<Decision> WeighDecisions(const sim::Grouping& grouping,
                                     const sim::SimulatedStep& step,
                                     const sim::Timeline& timeline,
                                     std::span<const CriticalPart> path) {
  Weighing weighing(grouping, step, timeline);
  weighing.AddPath(path);
  weighing.AddMovedBytes();
  return weighing.Sorted();
}

}  // namespace opyard::experiments
