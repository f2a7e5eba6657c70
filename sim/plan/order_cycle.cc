#include "sim/plan/order_cycle.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/base/array_index.h"
#include "sim/base/quote.h"
#include "sim/plan/streams.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostShown = 12;

// Ops go by their topological index.
class CycleFinder {
 public:
  CycleFinder(const OpGraph& graph, const Plan& plan) : graph_(graph) {
    std::int32_t num_devices = 0;
    for (const DeviceId device : plan.placement) {
      num_devices = std::max(num_devices, device.value + 1);
    }
    const std::size_t from_order = plan.order.size();
    (void)FindStreams(graph, plan, std::max(At(num_devices), from_order), streams_);
    before_.assign(graph.num_ops(), Streams::kNone);
    for (std::size_t op = 0; op < streams_.next.size(); ++op) {
      if (streams_.next[op] != Streams::kNone) {
        before_[At(streams_.next[op])] = static_cast<std::int32_t>(op);
      }
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
  // Runs all ops that come to their turn, in turns of streams: a stream goes on as far as it can.
  void RunAll() {
    has_run_.assign(graph_.num_ops(), 0);
    head_ = streams_.first;
    std::vector<std::int32_t> waiting(head_.size());
    for (std::size_t s = 0; s < waiting.size(); ++s) {
      waiting[s] = static_cast<std::int32_t>(s);
    }
    // Streams whose head waits for an op are woken when it runs.
    sleepers_.assign(graph_.num_ops(), {});
    while (!waiting.empty()) {
      const std::int32_t stream = waiting.back();
      waiting.pop_back();
      GoOn(stream, waiting);
    }
  }

  void GoOn(std::int32_t stream, std::vector<std::int32_t>& waiting) {
    for (std::int32_t& head = head_[At(stream)]; head != Streams::kNone;
         head = streams_.next[At(head)]) {
      const std::optional<std::int32_t> awaited = FirstAwaited(head);
      if (awaited.has_value()) {
        sleepers_[At(*awaited)].push_back(stream);
        return;
      }
      has_run_[At(head)] = 1;
      waiting.insert(waiting.end(), sleepers_[At(head)].begin(), sleepers_[At(head)].end());
      sleepers_[At(head)].clear();
    }
  }

  // A producer of `op` that has not run.
  [[nodiscard]] std::optional<std::int32_t> FirstAwaited(std::int32_t op) const {
    const OpId id = graph_.topological_order()[At(op)];
    for (const TensorId input : graph_.inputs(id)) {
      const std::int32_t producer = graph_.topological_index(graph_.tensor(input).producer);
      if (has_run_[At(producer)] == 0) {
        return producer;
      }
    }
    for (const OpId control : graph_.control_inputs(id)) {
      if (has_run_[At(graph_.topological_index(control))] == 0) {
        return graph_.topological_index(control);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] OrderWait WaitOf(std::int32_t op) const {
    const OpId id = graph_.topological_order()[At(op)];
    const std::int32_t before = before_[At(op)];
    if (before != Streams::kNone && has_run_[At(before)] == 0) {
      return {.op = id, .awaited = graph_.topological_order()[At(before)], .is_in_stream = true};
    }
    return {.op = id, .awaited = graph_.topological_order()[At(*FirstAwaited(op))]};
  }

  // Follows waits from an op that cannot run until one comes again.
  [[nodiscard]] std::vector<OrderWait> CycleBehind(std::int32_t op) const {
    std::vector<OrderWait> waits;
    std::vector<std::int32_t> wait_of(graph_.num_ops(), Streams::kNone);
    while (wait_of[At(op)] == Streams::kNone) {
      wait_of[At(op)] = static_cast<std::int32_t>(waits.size());
      waits.push_back(WaitOf(op));
      op = graph_.topological_index(waits.back().awaited);
    }
    waits.erase(waits.begin(), waits.begin() + wait_of[At(op)]);
    return waits;
  }

  const OpGraph& graph_;
  Streams streams_;
  std::vector<std::int32_t> before_;                 // [num_ops]: in its stream
  std::vector<std::uint8_t> has_run_;                // [num_ops]
  std::vector<std::int32_t> head_;                   // [num_streams]
  std::vector<std::vector<std::int32_t>> sleepers_;  // [num_ops]: streams
};

std::string OpText(const OpGraph& graph, OpId op) {
  return "op " + std::to_string(op.value) + " " + Quoted(graph.op(op).name);
}

}  // namespace

std::vector<OrderWait> FindOrderCycle(const OpGraph& graph, const Plan& plan) {
  return CycleFinder(graph, plan).Find();
}

std::string CycleText(const OpGraph& graph, const std::vector<OrderWait>& cycle) {
  std::string text = OpText(graph, cycle.front().op);
  for (std::size_t i = 0; i < std::min(cycle.size(), kMostShown); ++i) {
    text += (i == 0 ? " " : ", which ") +
            std::string(cycle[i].is_in_stream ? "stands behind " : "waits for ") +
            OpText(graph, cycle[i].awaited);
  }
  return cycle.size() <= kMostShown ? text
                                    : text + " … (" + std::to_string(cycle.size()) + " ops in all)";
}

}  // namespace opyard::sim
