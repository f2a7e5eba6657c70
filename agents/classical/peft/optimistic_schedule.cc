#include "agents/classical/peft/optimistic_schedule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/device_timeline.h"
#include "agents/planning/estimates/group_memory.h"
#include "agents/planning/initial_plans/memory_placement.h"

namespace opyard::agents {
namespace {

// So that sums that are equal but for their rounding tie.
double InWholePicoseconds(double seconds) {
  return std::nearbyint(seconds * 1e12);
}

class OptimisticScheduler {
 public:
  OptimisticScheduler(const env::Problem& problem,
                      const TransferTimes& transfers,
                      const OpTimes& times,
                      const OptimisticCosts& costs,
                      std::span<const OpId> order,
                      const OptimisticScheduleOptions& options)
      : problem_(problem),
        arrivals_(problem, transfers, options.transfers),
        times_(times),
        costs_(costs),
        order_(order),
        devices_(options.devices),
        timelines_(problem.hardware().num_devices()),
        device_of_group_(NumGroups(problem)),
        is_scheduled_(problem.graph().num_ops(), 0) {
    if (options.memory_share.has_value()) {
      memory_.emplace(problem, *options.memory_share);
    }
    result_.start.resize(problem.graph().num_ops());
    result_.finish.resize(problem.graph().num_ops());
  }

  OptimisticSchedule Build() && {
    const std::vector<OpId> anchors = Anchors();
    for (const OpId op : order_) {
      const std::size_t group = GroupOf(problem_, op);
      if (!device_of_group_[group].has_value()) {
        Decide(group, anchors[group]);
      }
      Place(op, *device_of_group_[group]);
    }
    for (const std::optional<DeviceId>& device : device_of_group_) {
      result_.device_of_group.push_back(*device);
    }
    return std::move(result_);
  }

 private:
  // The first op of each group in the order that takes time, else its first. [num_groups]
  [[nodiscard]] std::vector<OpId> Anchors() const {
    std::vector<std::optional<OpId>> first(device_of_group_.size());
    std::vector<std::optional<OpId>> working(device_of_group_.size());
    for (const OpId op : order_) {
      const std::size_t group = GroupOf(problem_, op);
      first[group] = first[group].value_or(op);
      if (problem_.costs().MeanSeconds(op) > 0.0) {
        working[group] = working[group].value_or(op);
      }
    }
    std::vector<OpId> anchors;
    for (std::size_t group = 0; group < first.size(); ++group) {
      anchors.push_back(working[group].value_or(*first[group]));
    }
    return anchors;
  }

  void Decide(std::size_t group, OpId anchor) {
    std::optional<DeviceId> best;
    double best_score = 0.0;
    for (const DeviceId device : Candidates(group)) {
      const SimTime end = Start(anchor, device) + times_.time(anchor, device);
      const double score = InWholePicoseconds(end.seconds() + costs_.Of(anchor, device));
      const bool has_room = !memory_.has_value() || memory_->HasRoom(group, device);
      if (has_room && (!best.has_value() || score < best_score)) {
        best = device;
        best_score = score;
      }
    }
    if (!best.has_value()) {
      best = RoomiestDevice(problem_, *memory_, group);
    }
    device_of_group_[group] = best;
    if (memory_.has_value()) {
      memory_->Add(group, *best);
    }
  }

  [[nodiscard]] std::vector<DeviceId> Candidates(std::size_t group) const {
    const auto allowed = problem_.AllowedDevices(GroupId(group));
    std::vector<DeviceId> open;
    std::ranges::copy_if(allowed, std::back_inserter(open), [&](DeviceId device) {
      return std::ranges::find(devices_, device) != devices_.end();
    });
    return open.empty() ? std::vector<DeviceId>(allowed.begin(), allowed.end()) : open;
  }

  // The end of an op that is scheduled. One that is not yet scheduled delays nothing.
  [[nodiscard]] std::optional<EndOfOp> FindEnd(OpId op) const {
    if (is_scheduled_[op.index()] == 0) {
      return std::nullopt;
    }
    return EndOfOp{.time = result_.finish[op.index()],
                   .device = device_of_group_[GroupOf(problem_, op)]};
  }

  [[nodiscard]] SimTime Start(OpId op, DeviceId device) const {
    const SimTime ready = ReadyTime(
        problem_.graph(), arrivals_, op, device, [&](OpId before) { return FindEnd(before); });
    return timelines_[device.index()].EarliestInsertion(ready, times_.time(op, device));
  }

  void Place(OpId op, DeviceId device) {
    BookInputs(
        problem_.graph(), arrivals_, op, device, [&](OpId before) { return FindEnd(before); });
    const SimTime duration = times_.time(op, device);
    const SimTime start = Start(op, device);
    timelines_[device.index()].Occupy(start, duration);
    is_scheduled_[op.index()] = 1;
    result_.start[op.index()] = start;
    result_.finish[op.index()] = start + duration;
  }

  const env::Problem& problem_;
  Arrivals arrivals_;
  const OpTimes& times_;
  const OptimisticCosts& costs_;
  std::span<const OpId> order_;
  std::vector<DeviceId> devices_;
  std::vector<DeviceTimeline> timelines_;                 // [num_devices]
  std::vector<std::optional<DeviceId>> device_of_group_;  // [num_groups]
  std::vector<std::uint8_t> is_scheduled_;                // [num_ops]
  std::optional<GroupMemory> memory_;
  OptimisticSchedule result_;
};

}  // namespace

OptimisticSchedule BuildOptimisticSchedule(const env::Problem& problem,
                                           const TransferTimes& transfers,
                                           const OpTimes& times,
                                           const OptimisticCosts& costs,
                                           std::span<const OpId> order,
                                           const OptimisticScheduleOptions& options) {
  return OptimisticScheduler(problem, transfers, times, costs, order, options).Build();
}

}  // namespace opyard::agents
