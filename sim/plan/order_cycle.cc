#include "sim/plan/order_cycle.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "sim/base/array_index.h"
#include "sim/base/quote.h"
#include "sim/plan/streams.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostShown = 12;
constexpr std::int32_t kNone = -1;

// Steps are numbered: ops by their topological index, then the copies that orders name.
class CycleFinder {
 public:
  CycleFinder(const OpGraph& graph, const Plan& plan) : graph_(graph), plan_(plan) {
    before_.assign(graph.num_ops(), kNone);
    if (HasStreams(plan.queue)) {
      FollowStreams();
    }
    for (std::size_t channel = 0; channel < plan.transfer_order.size(); ++channel) {
      FollowChannel(static_cast<std::int32_t>(channel));
    }
  }

  [[nodiscard]] std::vector<OrderWait> Find() {
    RunAll();
    const auto stuck = std::ranges::find(has_run_, 0);
    return stuck == has_run_.end()
               ? std::vector<OrderWait>{}
               : CycleBehind(static_cast<std::int32_t>(stuck - has_run_.begin()));
  }

 private:
  struct Wait {
    std::int32_t awaited = kNone;
    OrderWaitKind kind = OrderWaitKind::kInput;
    std::int32_t channel = kNone;  // index into Plan::transfer_order, of kChannel
  };

  void FollowStreams() {
    std::int32_t num_devices = 0;
    for (const DeviceId device : plan_.placement) {
      num_devices = std::max(num_devices, device.value + 1);
    }
    Streams streams;
    (void)FindStreams(graph_, plan_, std::max(At(num_devices), plan_.order.size()), streams);
    for (std::size_t op = 0; op < streams.next.size(); ++op) {
      if (streams.next[op] != Streams::kNone) {
        before_[At(streams.next[op])] = static_cast<std::int32_t>(op);
      }
    }
  }

  void FollowChannel(std::int32_t channel) {
    std::int32_t before = kNone;
    for (const CopyId& copy : plan_.transfer_order[At(channel)].copies) {
      const auto [at, is_new] =
          copy_numbers_.emplace(copy, static_cast<std::int32_t>(copies_.size()));
      if (is_new) {
        copies_.push_back(copy);
        channel_waits_.emplace_back();
      }
      const std::int32_t step = NumOps() + at->second;
      if (before != kNone) {
        channel_waits_[At(at->second)].push_back(
            {.awaited = before, .kind = OrderWaitKind::kChannel, .channel = channel});
      }
      before = step;
    }
  }

  [[nodiscard]] std::int32_t NumOps() const { return static_cast<std::int32_t>(graph_.num_ops()); }

  // Calls `visit` for each wait of `step`, those of orders first.
  template <class Visit>
  void ForEachWait(std::int32_t step, const Visit& visit) const {
    if (step >= NumOps()) {
      for (const Wait& wait : channel_waits_[At(step - NumOps())]) {
        visit(wait);
      }
      visit(Wait{.awaited = ProducerOf(copies_[At(step - NumOps())].tensor)});
      return;
    }
    if (before_[At(step)] != kNone) {
      visit(Wait{.awaited = before_[At(step)], .kind = OrderWaitKind::kStream});
    }
    const OpId op = graph_.topological_order()[At(step)];
    for (const TensorId input : graph_.inputs(op)) {
      visit(Wait{.awaited = SourceOf(input, plan_.placement[op.index()])});
    }
    for (const OpId control : graph_.control_inputs(op)) {
      visit(Wait{.awaited = graph_.topological_index(control)});
    }
  }

  [[nodiscard]] std::int32_t ProducerOf(TensorId tensor) const {
    return graph_.topological_index(graph_.tensor(tensor).producer);
  }

  // The step that brings `tensor` to `device`: its copy if an order names it, else its producer.
  [[nodiscard]] std::int32_t SourceOf(TensorId tensor, DeviceId device) const {
    const auto copy = copy_numbers_.find({.tensor = tensor, .destination = device});
    return copy == copy_numbers_.end() ? ProducerOf(tensor) : NumOps() + copy->second;
  }

  // Runs all steps that come to their turn.
  void RunAll() {
    const std::size_t num_steps = graph_.num_ops() + copies_.size();
    has_run_.assign(num_steps, 0);
    std::vector<std::vector<std::int32_t>> waiting_for(num_steps);
    std::vector<std::int32_t> num_waits(num_steps);
    std::vector<std::int32_t> ready;
    for (std::size_t i = 0; i < num_steps; ++i) {
      const auto step = static_cast<std::int32_t>(i);
      ForEachWait(step, [&](const Wait& wait) {
        waiting_for[At(wait.awaited)].push_back(step);
        ++num_waits[i];
      });
      if (num_waits[i] == 0) {
        ready.push_back(step);
      }
    }
    while (!ready.empty()) {
      const std::int32_t step = ready.back();
      ready.pop_back();
      has_run_[At(step)] = 1;
      for (const std::int32_t waiting : waiting_for[At(step)]) {
        if (--num_waits[At(waiting)] == 0) {
          ready.push_back(waiting);
        }
      }
    }
  }

  // The first wait of `step` for one that has not run. REQUIRES: there is one.
  [[nodiscard]] Wait FirstWait(std::int32_t step) const {
    std::optional<Wait> first;
    ForEachWait(step, [&](const Wait& wait) {
      if (!first.has_value() && has_run_[At(wait.awaited)] == 0) {
        first = wait;
      }
    });
    return *first;
  }

  [[nodiscard]] OrderStep StepOf(std::int32_t step) const {
    return step < NumOps() ? OrderStep(graph_.topological_order()[At(step)])
                           : OrderStep(copies_[At(step - NumOps())]);
  }

  // Follows waits from a step that cannot run until one comes again.
  [[nodiscard]] std::vector<OrderWait> CycleBehind(std::int32_t step) const {
    std::vector<OrderWait> waits;
    std::vector<std::int32_t> wait_of(has_run_.size(), kNone);
    while (wait_of[At(step)] == kNone) {
      wait_of[At(step)] = static_cast<std::int32_t>(waits.size());
      const Wait wait = FirstWait(step);
      waits.push_back(
          {.step = StepOf(step),
           .awaited = StepOf(wait.awaited),
           .kind = wait.kind,
           .channel = wait.channel == kNone ? "" : plan_.transfer_order[At(wait.channel)].channel});
      step = wait.awaited;
    }
    waits.erase(waits.begin(), waits.begin() + wait_of[At(step)]);
    return waits;
  }

  const OpGraph& graph_;
  const Plan& plan_;
  std::vector<std::int32_t> before_;  // [num_ops]: in its stream
  std::map<CopyId, std::int32_t> copy_numbers_;
  std::vector<CopyId> copies_;                    // by number
  std::vector<std::vector<Wait>> channel_waits_;  // by number of the copy
  std::vector<std::uint8_t> has_run_;             // [num_steps]
};

class StepNames {
 public:
  StepNames(const OpGraph& graph, const HardwareProfile& hardware)
      : graph_(graph), hardware_(hardware) {}

  std::string operator()(OpId op) const {
    return "op " + std::to_string(op.value) + " " + Quoted(graph_.op(op).name);
  }
  std::string operator()(const CopyId& copy) const {
    const Tensor& tensor = graph_.tensor(copy.tensor);
    return "the copy of " + graph_.op(tensor.producer).name + ":" +
           std::to_string(tensor.output_index) + " to " +
           hardware_.devices[copy.destination.index()].name;
  }

 private:
  const OpGraph& graph_;
  const HardwareProfile& hardware_;
};

std::string WaitText(const OrderWait& wait) {
  switch (wait.kind) {
    case OrderWaitKind::kStream:
      return "stands behind ";
    case OrderWaitKind::kChannel:
      return "stands on " + wait.channel + " behind ";
    case OrderWaitKind::kInput:
      break;
  }
  return "waits for ";
}

}  // namespace

std::vector<OrderWait> FindOrderCycle(const OpGraph& graph, const Plan& plan) {
  return CycleFinder(graph, plan).Find();
}

std::string CycleText(const OpGraph& graph,
                      const HardwareProfile& hardware,
                      const std::vector<OrderWait>& cycle) {
  const StepNames name(graph, hardware);
  std::string text = std::visit(name, cycle.front().step);
  for (std::size_t i = 0; i < std::min(cycle.size(), kMostShown); ++i) {
    text += (i == 0 ? " " : ", which ") + WaitText(cycle[i]) + std::visit(name, cycle[i].awaited);
  }
  return cycle.size() <= kMostShown
             ? text
             : text + " … (" + std::to_string(cycle.size()) + " waits in all)";
}

}  // namespace opyard::sim
