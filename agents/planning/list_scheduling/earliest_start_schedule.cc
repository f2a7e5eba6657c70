#include "agents/planning/list_scheduling/earliest_start_schedule.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/running_memory.h"
#include "agents/planning/list_scheduling/ready_list_order.h"
#include "agents/planning/list_scheduling/ready_queue.h"
#include "sim/base/array_index.h"

namespace opyard::agents {
namespace {

class EarliestStartScheduler {
 public:
  EarliestStartScheduler(const env::Problem& problem,
                         const TransferTimes& transfers,
                         const EarliestStartOptions& options)
      : problem_(problem),
        graph_(problem.graph()),
        options_(options),
        grouping_(options.grouping != nullptr && problem.tasks().placement ? *options.grouping
                                                                           : problem.grouping()),
        arrivals_(problem, transfers, options.transfers),
        memory_(problem, options.memory_share),
        ops_of_group_(At(grouping_.num_groups)),
        devices_(options.devices.empty() ? MainDevices(problem) : options.devices),
        queues_(problem.hardware().num_devices()),
        free_(queues_.size()),
        kept_for_(queues_.size()),
        device_of_group_(ops_of_group_.size()),
        num_awaited_(NumAwaited(graph_)),
        finish_(graph_.num_ops()) {
    for (const OpId op : graph_.topological_order()) {
      ops_of_group_[GroupOf(op)].push_back(op);
    }
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
    }
    for (const std::vector<OpId>& ops : OpsOfGroups(problem_)) {
      result_.device_of_group.push_back(*device_of_group_[GroupOf(ops.front())]);
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

  [[nodiscard]] std::vector<OpId> Sources() const {
    std::vector<OpId> sources;
    for (const OpId op : graph_.topological_order()) {
      if (num_awaited_[op.index()] == 0) {
        sources.push_back(op);
      }
    }
    return sources;
  }

  [[nodiscard]] std::size_t GroupOf(OpId op) const { return At(grouping_.group_of[op.index()]); }

  [[nodiscard]] std::span<const DeviceId> AllowedDevices(std::size_t group) const {
    const std::size_t any = agents::GroupOf(problem_, ops_of_group_[group].front());
    return problem_.AllowedDevices(GroupId(any));
  }

  [[nodiscard]] bool IsAllowed(std::size_t group, DeviceId device) const {
    return std::ranges::binary_search(AllowedDevices(group), device);
  }

  // Those of the devices in question that `group` may be on; if there are none, all that it may be
  // on.
  [[nodiscard]] std::vector<DeviceId> Candidates(std::size_t group) const {
    if (device_of_group_[group].has_value()) {
      return {*device_of_group_[group]};
    }
    std::vector<DeviceId> candidates;
    for (const DeviceId device : devices_) {
      if (IsAllowed(group, device)) {
        candidates.push_back(device);
      }
    }
    const auto allowed = AllowedDevices(group);
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
           graph_.control_inputs(op).empty() && !device_of_group_[GroupOf(op)];
  }

  void MakeReady(OpId op) {
    if (GoesWithItsReader(op)) {
      pending_in_memory_.insert(op);
      finish_[op.index()] = graph_.op(op).release;
      End(op);
      return;
    }
    ready_.insert(graph_.topological_index(op));
    for (const DeviceId device : Candidates(GroupOf(op))) {
      Enqueue(op, device);
    }
  }

  void Enqueue(OpId op, DeviceId device) {
    queues_[device.index()].Add(
        {.index = graph_.topological_index(op), .ready = InputsOn(op, device)});
  }

  [[nodiscard]] EndOfOp EndOf(OpId op) const {
    return {.time = finish_[op.index()], .device = device_of_group_[GroupOf(op)]};
  }

  [[nodiscard]] SimTime InputsOn(OpId op, DeviceId device) const {
    return ReadyTime(
        graph_, arrivals_, op, device, [&](OpId before) { return std::optional(EndOf(before)); });
  }

  [[nodiscard]] SimTime ReadyTimeOn(OpId op, DeviceId device) const {
    SimTime ready = InputsOn(op, device);
    if (IsKeptFromOthers(op, device)) {
      for (const DeviceId other : Candidates(GroupOf(op))) {
        ready = std::max(ready, InputsOn(op, other));
      }
    }
    return ready;
  }

  [[nodiscard]] bool IsKeptFromOthers(OpId op, DeviceId device) const {
    const std::optional<OpId>& awaited = kept_for_[device.index()];
    return awaited.has_value() && *awaited != op;
  }

  // Keeps `device` for the favourite of `op`, which it ran, if that may come.
  void KeepForFavourite(OpId op, DeviceId device) {
    if (options_.favourite_child.empty()) {
      return;
    }
    kept_for_[device.index()].reset();
    const std::optional<OpId>& favourite = options_.favourite_child[op.index()];
    if (favourite.has_value()) {
      const std::vector<DeviceId> candidates = Candidates(GroupOf(*favourite));
      if (std::ranges::find(candidates, device) != candidates.end()) {
        kept_for_[device.index()] = favourite;
      }
    }
  }

  // Devices but `device` no longer wait for ops of `group`.
  void ReleaseOthers(std::size_t group, DeviceId device) {
    for (std::size_t i = 0; i < kept_for_.size(); ++i) {
      if (kept_for_[i].has_value() && GroupOf(*kept_for_[i]) == group && DeviceId(i) != device) {
        kept_for_[i].reset();
      }
    }
  }

  // The groups that running `op` decides: its own and those of inputs without a place.
  [[nodiscard]] std::vector<std::size_t> UndecidedGroups(OpId op) const {
    std::vector<std::size_t> groups{GroupOf(op)};
    for (const TensorId input : graph_.inputs(op)) {
      groups.push_back(GroupOf(graph_.tensor(input).producer));
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
      need += IsAllowed(group, device) ? Parameters(group) : Bytes{};
    }
    return need;
  }

  [[nodiscard]] OpId OpAt(std::int32_t index) const {
    return graph_.topological_order()[static_cast<std::size_t>(index)];
  }

  // The earliest start on `device` if it is kept for nothing. Ready times in the queue may be out
  // of date, but never too late.
  [[nodiscard]] std::optional<Start> FindFirstInQueue(DeviceId device) {
    ReadyQueue& queue = queues_[device.index()];
    const SimTime free = free_[device.index()];
    queue.BringBack(memory_.RoomLeft(device));
    while (const auto first = queue.FindFirst(free)) {
      const OpId op = OpAt(first->index);
      const auto& decided = device_of_group_[GroupOf(op)];
      if (!ready_.contains(first->index) || decided.value_or(device) != device) {
        queue.RemoveFirst();
      } else if (const SimTime ready = InputsOn(op, device); ready > first->ready) {
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

  // The earliest start on `device`: where it is kept, that of the favourite or of what would come
  // first otherwise, which alone is checked so that a long queue takes no longer.
  [[nodiscard]] std::optional<Start> FindEarliest(DeviceId device) {
    std::optional<Start> first = FindFirstInQueue(device);
    const std::optional<OpId>& favourite = kept_for_[device.index()];
    if (!first.has_value() || !favourite.has_value() || OpAt(first->index) == *favourite) {
      return first;
    }
    const SimTime free = free_[device.index()];
    first->time = std::max(free, ReadyTimeOn(OpAt(first->index), device));
    const std::int32_t index = graph_.topological_index(*favourite);
    if (ready_.contains(index) && HasRoom(NeedOf(*favourite, device), device)) {
      const SimTime start = std::max(free, InputsOn(*favourite, device));
      return start <= first->time ? Start{.time = start, .index = index} : first;
    }
    return first;
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
    const std::size_t group = GroupOf(op);
    if (device_of_group_[group].has_value()) {
      return {.op = op, .device = *device_of_group_[group]};
    }
    const auto allowed = AllowedDevices(group);
    return {.op = op, .device = Roomiest(allowed)};
  }

  void Decide(std::size_t group, DeviceId device) {
    device_of_group_[group] = device;
    ReleaseOthers(group, device);
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
    const SimTime expected = ReadyTimeOn(op, device);
    for (const std::size_t group : UndecidedGroups(op)) {
      Decide(group, IsAllowed(group, device) ? device : RoomiestCandidate(group));
    }
    BookInputs(
        graph_, arrivals_, op, device, [&](OpId before) { return std::optional(EndOf(before)); });
    const SimTime start =
        std::max({free_[device.index()], expected, InputsOn(op, device)});  // as booked
    finish_[op.index()] = start + TimeOf(op, device);
    free_[device.index()] = finish_[op.index()];
    result_.makespan = std::max(result_.makespan, finish_[op.index()]);
    memory_.Run(op, device);
    ready_.erase(graph_.topological_index(op));
    KeepForFavourite(op, device);
    End(op);
  }

  [[nodiscard]] SimTime TimeOf(OpId op, DeviceId device) const {
    return options_.times != nullptr ? options_.times->time(op, device)
                                     : problem_.costs().time(op, device);
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
  const EarliestStartOptions& options_;
  const sim::Grouping& grouping_;
  Arrivals arrivals_;
  RunningMemory memory_;
  std::vector<std::vector<OpId>> ops_of_group_;
  std::vector<DeviceId> devices_;
  std::vector<ReadyQueue> queues_;                        // [num_devices]
  std::vector<SimTime> free_;                             // [num_devices]
  std::vector<std::optional<OpId>> kept_for_;             // [num_devices]
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
                                                 const EarliestStartOptions& options) {
  return EarliestStartScheduler(problem, transfers, options).Build();
}

}  // namespace opyard::agents
