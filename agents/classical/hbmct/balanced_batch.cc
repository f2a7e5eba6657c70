#include "agents/classical/hbmct/balanced_batch.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace opyard::agents {
namespace {

class BatchBalancer {
 public:
  BatchBalancer(std::span<const BatchTask> tasks,
                std::span<const SimTime> free,
                std::optional<GroupMemory>& memory)
      : tasks_(tasks), free_(free), memory_(memory), lanes_(free.size()), end_(free.size()) {
    for (const BatchTask& task : tasks) {
      double sum = 0.0;
      for (const DeviceId device : task.candidates) {
        sum += task.ready[device.index()].seconds();
      }
      mean_ready_.push_back(sum / static_cast<double>(task.candidates.size()));
    }
  }

  BatchLanes Balance(InitialDevice initial) && {
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      const DeviceId device = FirstDevice(task, initial);
      lanes_[device.index()].push_back(task);
      Hold(task, device);
    }
    for (std::size_t device = 0; device < lanes_.size(); ++device) {
      std::ranges::stable_sort(
          lanes_[device], {}, [&](std::size_t task) { return tasks_[task].ready[device]; });
      UpdateEnd(device);
    }
    while (MoveOne()) {
    }
    return std::move(lanes_);
  }

 private:
  [[nodiscard]] bool HasRoom(std::size_t task, DeviceId device) const {
    const std::optional<std::size_t>& group = tasks_[task].group;
    return !memory_.has_value() || !group.has_value() || memory_->HasRoom(*group, device);
  }

  void Hold(std::size_t task, DeviceId device) {
    if (memory_.has_value() && tasks_[task].group.has_value()) {
      memory_->Add(*tasks_[task].group, device);
    }
  }

  void LetGo(std::size_t task, DeviceId device) {
    if (memory_.has_value() && tasks_[task].group.has_value()) {
      memory_->Remove(*tasks_[task].group, device);
    }
  }

  [[nodiscard]] DeviceId FirstDevice(std::size_t task, InitialDevice initial) const {
    const BatchTask& wanted = tasks_[task];
    std::vector<DeviceId> open = wanted.candidates;
    std::erase_if(open, [&](DeviceId device) { return !HasRoom(task, device); });
    if (open.empty()) {
      return *std::ranges::max_element(
          wanted.candidates, {}, [&](DeviceId device) { return memory_->RoomLeft(device); });
    }
    return *std::ranges::min_element(open, {}, [&](DeviceId device) {
      const SimTime time = wanted.time[device.index()];
      return initial == InitialDevice::kExecutionTime ? time : wanted.ready[device.index()] + time;
    });
  }

  [[nodiscard]] SimTime EndAfter(SimTime before, std::size_t task, std::size_t device) const {
    return std::max(before, tasks_[task].ready[device]) + tasks_[task].time[device];
  }

  void UpdateEnd(std::size_t device) {
    end_[device] = free_[device];
    for (const std::size_t task : lanes_[device]) {
      end_[device] = EndAfter(end_[device], task, device);
    }
  }

  // When `device` would end without each of its tasks. [tasks of the lane]
  [[nodiscard]] std::vector<SimTime> EndsWithout(std::size_t device) const {
    const std::vector<std::size_t>& lane = lanes_[device];
    // The tasks from i on end at max(start + busy[i], least[i]) if they may begin at `start`.
    std::vector<SimTime> busy(lane.size() + 1);
    std::vector<SimTime> least(lane.size() + 1);
    for (std::size_t i = lane.size(); i-- > 0;) {
      const BatchTask& task = tasks_[lane[i]];
      busy[i] = task.time[device] + busy[i + 1];
      least[i] = std::max(task.ready[device] + busy[i], least[i + 1]);
    }
    std::vector<SimTime> ends;
    SimTime before = free_[device];
    for (std::size_t i = 0; i < lane.size(); ++i) {
      ends.push_back(std::max(before + busy[i + 1], least[i + 1]));
      before = EndAfter(before, lane[i], device);
    }
    return ends;
  }

  // The device other than `source` that would end soonest with `task`, and sooner than `limit`.
  [[nodiscard]] std::optional<DeviceId> FindTarget(std::size_t task,
                                                   std::size_t source,
                                                   SimTime limit) const {
    std::optional<DeviceId> target;
    for (const DeviceId device : tasks_[task].candidates) {
      const SimTime end = EndAfter(end_[device.index()], task, device.index());
      if (device.index() != source && end < limit && HasRoom(task, device)) {
        target = device;
        limit = end;
      }
    }
    return target;
  }

  // Returns whether a task was moved.
  bool MoveOne() {
    const auto source = static_cast<std::size_t>(std::ranges::max_element(end_) - end_.begin());
    const std::vector<SimTime> ends = EndsWithout(source);
    std::vector<std::size_t> places(ends.size());  // in the lane
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(
        places, {}, [&](std::size_t place) { return mean_ready_[lanes_[source][place]]; });
    for (const std::size_t place : places) {
      const std::size_t task = lanes_[source][place];
      if (ends[place] >= end_[source]) {
        continue;
      }
      if (const auto target = FindTarget(task, source, end_[source])) {
        lanes_[source].erase(lanes_[source].begin() + static_cast<std::ptrdiff_t>(place));
        lanes_[target->index()].push_back(task);
        LetGo(task, DeviceId(source));
        Hold(task, *target);
        UpdateEnd(source);
        UpdateEnd(target->index());
        return true;
      }
    }
    return false;
  }

  std::span<const BatchTask> tasks_;
  std::span<const SimTime> free_;
  std::optional<GroupMemory>& memory_;
  BatchLanes lanes_;
  std::vector<SimTime> end_;        // [num_devices]
  std::vector<double> mean_ready_;  // [num_tasks], seconds
};

}  // namespace

BatchLanes BalanceBatch(std::span<const BatchTask> tasks,
                        std::span<const SimTime> free,
                        InitialDevice initial,
                        std::optional<GroupMemory>& memory) {
  return BatchBalancer(tasks, free, memory).Balance(initial);
}

}  // namespace opyard::agents
