#include "agents/classical/hbmct/hybrid_schedule.h"

#include <algorithm>
#include <unordered_map>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/arrivals.h"

namespace opyard::agents {
namespace {

class HybridScheduler {
 public:
  HybridScheduler(const env::Problem& problem,
                  const TransferTimes& transfers,
                  const OpTimes& times,
                  const HybridScheduleOptions& options)
      : problem_(problem),
        graph_(problem.graph()),
        times_(times),
        options_(options),
        arrivals_(problem, transfers, TransferRule::kAlone),
        free_(problem.hardware().num_devices()),
        device_of_group_(NumGroups(problem)) {
    if (options.memory_share.has_value()) {
      memory_.emplace(problem, *options.memory_share);
    }
    if (!problem.tasks().placement) {
      const env::GroupPlacement given = DeviceOfGroups(problem, problem.default_placement());
      device_of_group_.assign(given.begin(), given.end());
    }
    schedule_.start.resize(graph_.num_ops());
    schedule_.finish.resize(graph_.num_ops());
  }

  ListSchedule Build(std::span<const OpId> order) && {
    for (const std::vector<OpId>& batch : IndependentBatches(graph_, order)) {
      Schedule(batch);
    }
    for (const std::optional<DeviceId>& device : device_of_group_) {
      schedule_.device_of_group.push_back(*device);
    }
    schedule_.makespan = *std::ranges::max_element(free_);
    return std::move(schedule_);
  }

 private:
  void Schedule(const std::vector<OpId>& batch) {
    const std::vector<std::vector<OpId>> units = Units(batch);
    std::vector<BatchTask> tasks;
    for (const std::vector<OpId>& unit : units) {
      tasks.push_back(TaskOf(unit));
    }
    const BatchLanes lanes = BalanceBatch(tasks, free_, options_.initial, memory_);
    for (std::size_t device = 0; device < lanes.size(); ++device) {
      for (const std::size_t task : lanes[device]) {
        Run(units[task], DeviceId(device), tasks[task].ready[device]);
      }
    }
  }

  // The ops of `batch`, those of a group without a device together, by the first of them.
  [[nodiscard]] std::vector<std::vector<OpId>> Units(const std::vector<OpId>& batch) const {
    std::vector<std::vector<OpId>> units;
    std::unordered_map<std::size_t, std::size_t> unit_of_group;
    for (const OpId op : batch) {
      const std::size_t group = GroupOf(problem_, op);
      if (device_of_group_[group].has_value()) {
        units.push_back({op});
        continue;
      }
      const auto [found, is_new] = unit_of_group.try_emplace(group, units.size());
      if (is_new) {
        units.emplace_back();
      }
      units[found->second].push_back(op);
    }
    return units;
  }

  [[nodiscard]] BatchTask TaskOf(const std::vector<OpId>& unit) const {
    const std::size_t group = GroupOf(problem_, unit.front());
    BatchTask task{.ready = free_, .time = std::vector<SimTime>(free_.size())};
    if (device_of_group_[group].has_value()) {
      task.candidates = {*device_of_group_[group]};
    } else {
      const auto allowed = problem_.AllowedDevices(GroupId(group));
      task.candidates.assign(allowed.begin(), allowed.end());
      task.group = group;
    }
    for (const DeviceId device : task.candidates) {
      for (const OpId op : unit) {
        SimTime& ready = task.ready[device.index()];
        ready = std::max(ready, Ready(op, device));
        task.time[device.index()] += times_.time(op, device);
      }
    }
    return task;
  }

  [[nodiscard]] SimTime Ready(OpId op, DeviceId device) const {
    return ReadyTime(graph_, arrivals_, op, device, [&](OpId before) {
      return std::optional(EndOfOp{.time = schedule_.finish[before.index()],
                                   .device = device_of_group_[GroupOf(problem_, before)]});
    });
  }

  void Run(const std::vector<OpId>& unit, DeviceId device, SimTime ready) {
    SimTime& free = free_[device.index()];
    free = std::max(free, ready);
    for (const OpId op : unit) {
      device_of_group_[GroupOf(problem_, op)] = device;
      schedule_.start[op.index()] = free;
      free += times_.time(op, device);
      schedule_.finish[op.index()] = free;
    }
  }

  const env::Problem& problem_;
  const sim::OpGraph& graph_;
  const OpTimes& times_;
  const HybridScheduleOptions options_;
  const Arrivals arrivals_;
  std::vector<SimTime> free_;                             // [num_devices]
  std::vector<std::optional<DeviceId>> device_of_group_;  // [num_groups]
  std::optional<GroupMemory> memory_;
  ListSchedule schedule_;
};

}  // namespace

std::vector<std::vector<OpId>> IndependentBatches(const sim::OpGraph& graph,
                                                  std::span<const OpId> order) {
  std::vector<std::vector<OpId>> batches;
  std::vector<std::size_t> batch_of(graph.num_ops(), 0);  // from 1; 0: none yet
  const auto is_last = [&](OpId before) { return batch_of[before.index()] == batches.size(); };
  for (const OpId op : order) {
    const bool waits = std::ranges::any_of(
                           graph.inputs(op),
                           [&](TensorId input) { return is_last(graph.tensor(input).producer); }) ||
                       std::ranges::any_of(graph.control_inputs(op), is_last);
    if (batches.empty() || waits) {
      batches.emplace_back();
    }
    batches.back().push_back(op);
    batch_of[op.index()] = batches.size();
  }
  return batches;
}

ListSchedule BuildHybridSchedule(const env::Problem& problem,
                                 const TransferTimes& transfers,
                                 const OpTimes& times,
                                 std::span<const OpId> order,
                                 const HybridScheduleOptions& options) {
  return HybridScheduler(problem, transfers, times, options).Build(order);
}

}  // namespace opyard::agents
