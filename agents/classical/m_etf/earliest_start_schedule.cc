#include "agents/classical/m_etf/earliest_start_schedule.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "agents/classical/m_etf/running_memory.h"
#include "agents/classical/m_etf/start_queue.h"
#include "agents/planning/decisions.h"
#include "agents/planning/ready_time.h"

namespace opyard::agents {
namespace {

class EarliestStartScheduler {
 public:
  EarliestStartScheduler(const env::Problem& problem,
                         const TransferTimes& transfers,
                         double memory_share)
      : problem_(problem),
        graph_(problem.graph()),
        transfers_(transfers),
        memory_(problem, memory_share),
        ops_of_group_(OpsOfGroups(problem)),
        main_devices_(MainDevices(problem)),
        queues_(problem.hardware().num_devices()),
        free_(queues_.size()),
        device_of_group_(ops_of_group_.size()),
        num_awaited_(graph_.num_ops(), 0),
        finish_(graph_.num_ops()) {
    CountAwaited();
    if (!problem.tasks().placement) {
      const auto devices = DeviceOfGroups(problem, problem.default_placement());
      for (std::size_t group = 0; group < devices.size(); ++group) {
        Decide(group, devices[group]);
      }
    }
  }

  EarliestStartSchedule Build() && {
    for (const OpId op : Sources()) {
      MakeReady(op);
    }
    while (!ready_.empty()) {
      const auto [op, device] = ChooseNext();
      Run(op, device);
    }
    for (std::size_t group = 0; group < device_of_group_.size(); ++group) {
      if (!device_of_group_[group].has_value()) {
        Decide(group, RoomiestCandidate(group));
      }
      result_.device_of_group.push_back(*device_of_group_[group]);
    }
    return std::move(result_);
  }

 private:
  struct Choice {
    OpId op;
    DeviceId device;
  };
  struct Start {
    SimTime time;
    std::int32_t index = 0;  // topological
    friend auto operator<=>(const Start&, const Start&) = default;
  };

  void CountAwaited() {
    for (std::size_t i = 0; i < graph_.num_tensors(); ++i) {
      for (const OpId consumer : graph_.consumers(TensorId(i))) {
        ++num_awaited_[consumer.index()];
      }
    }
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      num_awaited_[i] += graph_.control_inputs(OpId(i)).size();
    }
  }

  [[nodiscard]] std::vector<OpId> Sources() const {
    std::vector<OpId> sources;
    for (const OpId op : graph_.topological_order()) {
      if (num_awaited_[op.index()] == 0) {
        sources.push_back(op);
      }
    }
    return sources;
  }

  // The devices of the main kind that `group` may be on; if there are none, all that it may be on.
  [[nodiscard]] std::vector<DeviceId> Candidates(std::size_t group) const {
    if (device_of_group_[group].has_value()) {
      return {*device_of_group_[group]};
    }
    std::vector<DeviceId> candidates;
    for (const DeviceId device : main_devices_) {
      if (IsAllowed(problem_, group, device)) {
        candidates.push_back(device);
      }
    }
    const auto allowed = problem_.AllowedDevices(static_cast<std::int32_t>(group));
    return candidates.empty() ? std::vector<DeviceId>(allowed.begin(), allowed.end()) : candidates;
  }

  [[nodiscard]] DeviceId Roomiest(std::span<const DeviceId> devices) const {
    return *std::ranges::max_element(
        devices, {}, [&](DeviceId device) { return memory_.RoomLeft(device); });
  }

  [[nodiscard]] DeviceId RoomiestCandidate(std::size_t group) const {
    return Roomiest(Candidates(group));
  }

  // A Variable or constant has no place of its own: it goes with the first op that reads it.
  [[nodiscard]] bool GoesWithItsReader(OpId op) const {
    return problem_.costs().MeanSeconds(op) == 0.0 && graph_.inputs(op).empty() &&
           graph_.control_inputs(op).empty() && !device_of_group_[GroupOf(problem_, op)];
  }

  void MakeReady(OpId op) {
    if (GoesWithItsReader(op)) {
      pending_in_memory_.insert(op);
      End(op);
      return;
    }
    ready_.insert(graph_.topological_index(op));
    for (const DeviceId device : Candidates(GroupOf(problem_, op))) {
      Enqueue(op, device);
    }
  }

  void Enqueue(OpId op, DeviceId device) {
    queues_[device.index()].Add(
        {.index = graph_.topological_index(op), .ready = ReadyTimeOn(op, device)});
  }

  [[nodiscard]] SimTime ReadyTimeOn(OpId op, DeviceId device) const {
    return ReadyTime(graph_, transfers_, op, device, [&](OpId before) {
      return std::optional(EndOfOp{.time = finish_[before.index()],
                                   .device = device_of_group_[GroupOf(problem_, before)]});
    });
  }

  // The groups that running `op` decides: its own and those of inputs without a place.
  [[nodiscard]] std::vector<std::size_t> UndecidedGroups(OpId op) const {
    std::vector<std::size_t> groups{GroupOf(problem_, op)};
    for (const TensorId input : graph_.inputs(op)) {
      groups.push_back(GroupOf(problem_, graph_.tensor(input).producer));
    }
    std::erase_if(groups, [&](std::size_t group) { return device_of_group_[group].has_value(); });
    std::ranges::sort(groups);
    groups.erase(std::ranges::unique(groups).begin(), groups.end());
    return groups;
  }

  [[nodiscard]] Bytes Parameters(std::size_t group) const {
    Bytes sum;
    for (const OpId op : ops_of_group_[group]) {
      sum += graph_.op(op).param_bytes;
    }
    return sum;
  }

  [[nodiscard]] bool HasRoom(Bytes need, DeviceId device) const {
    return need <= memory_.RoomLeft(device);
  }

  [[nodiscard]] Bytes NeedOf(OpId op, DeviceId device) const {
    Bytes need = memory_.NeedOfRun(op, device);
    for (const std::size_t group : UndecidedGroups(op)) {
      need += IsAllowed(problem_, group, device) ? Parameters(group) : Bytes{};
    }
    return need;
  }

  [[nodiscard]] OpId OpAt(std::int32_t index) const {
    return graph_.topological_order()[static_cast<std::size_t>(index)];
  }

  // The earliest start on `device`. Ready times in the queue may be out of date, but never too
  // late.
  [[nodiscard]] std::optional<Start> FindEarliest(DeviceId device) {
    StartQueue& queue = queues_[device.index()];
    const SimTime free = free_[device.index()];
    queue.BringBack(memory_.RoomLeft(device));
    while (const auto first = queue.FindFirst(free)) {
      const OpId op = OpAt(first->index);
      const auto& decided = device_of_group_[GroupOf(problem_, op)];
      if (!ready_.contains(first->index) || decided.value_or(device) != device) {
        queue.RemoveFirst();
      } else if (const SimTime ready = ReadyTimeOn(op, device); ready > first->ready) {
        queue.RemoveFirst();
        queue.Add({.index = first->index, .ready = ready});
      } else if (const Bytes need = NeedOf(op, device); !HasRoom(need, device)) {
        queue.SetFirstAside(need);
      } else {
        return Start{.time = std::max(free, ready), .index = first->index};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Choice ChooseNext() {
    std::optional<Start> best;
    DeviceId best_device;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const std::optional<Start> start = FindEarliest(DeviceId(i));
      if (start.has_value() && (!best.has_value() || *start < *best)) {
        best = start;
        best_device = DeviceId(i);
      }
    }
    return best.has_value() ? Choice{.op = OpAt(best->index), .device = best_device}
                            : ChooseWithoutRoom();
  }

  [[nodiscard]] Choice ChooseWithoutRoom() const {
    const OpId op = OpAt(*ready_.begin());
    const std::size_t group = GroupOf(problem_, op);
    if (device_of_group_[group].has_value()) {
      return {.op = op, .device = *device_of_group_[group]};
    }
    const auto allowed = problem_.AllowedDevices(static_cast<std::int32_t>(group));
    return {.op = op, .device = Roomiest(allowed)};
  }

  void Decide(std::size_t group, DeviceId device) {
    device_of_group_[group] = device;
    memory_.HoldParameters(Parameters(group), device);
    for (const OpId op : ops_of_group_[group]) {
      if (pending_in_memory_.erase(op) > 0) {
        memory_.Run(op, device);
      }
      if (ready_.contains(graph_.topological_index(op))) {
        Enqueue(op, device);
      }
    }
  }

  void Run(OpId op, DeviceId device) {
    for (const std::size_t group : UndecidedGroups(op)) {
      Decide(group, IsAllowed(problem_, group, device) ? device : RoomiestCandidate(group));
    }
    const SimTime start = std::max(free_[device.index()], ReadyTimeOn(op, device));
    finish_[op.index()] = start + problem_.costs().time(op, device);
    free_[device.index()] = finish_[op.index()];
    result_.makespan = std::max(result_.makespan, finish_[op.index()]);
    memory_.Run(op, device);
    ready_.erase(graph_.topological_index(op));
    End(op);
  }

  void End(OpId op) {
    result_.order.push_back(op);
    for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
      for (const OpId consumer : graph_.consumers(graph_.output(op, k))) {
        EndAwaiting(consumer);
      }
    }
    for (const OpId consumer : graph_.control_consumers(op)) {
      EndAwaiting(consumer);
    }
  }

  void EndAwaiting(OpId op) {
    if (--num_awaited_[op.index()] == 0) {
      MakeReady(op);
    }
  }

  const env::Problem& problem_;
  const sim::OpGraph& graph_;
  const TransferTimes& transfers_;
  RunningMemory memory_;
  std::vector<std::vector<OpId>> ops_of_group_;
  std::vector<DeviceId> main_devices_;
  std::vector<StartQueue> queues_;                        // [num_devices]
  std::vector<SimTime> free_;                             // [num_devices]
  std::vector<std::optional<DeviceId>> device_of_group_;  // [num_groups]
  std::vector<std::size_t> num_awaited_;  // [num_ops], inputs that were not made yet
  std::vector<SimTime> finish_;           // [num_ops]
  std::set<std::int32_t> ready_;          // topological indices of ops that wait for a device only
  std::set<OpId> pending_in_memory_;      // ran, but without a place
  EarliestStartSchedule result_;
};

}  // namespace

EarliestStartSchedule BuildEarliestStartSchedule(const env::Problem& problem,
                                                 const TransferTimes& transfers,
                                                 double memory_share) {
  return EarliestStartScheduler(problem, transfers, memory_share).Build();
}

}  // namespace opyard::agents
