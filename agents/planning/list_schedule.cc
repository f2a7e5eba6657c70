#include "agents/planning/list_schedule.h"

#include <algorithm>
#include <iterator>

#include "agents/planning/decisions.h"
#include "agents/planning/device_timeline.h"
#include "agents/planning/group_memory.h"
#include "agents/planning/ranks.h"

namespace opyard::agents {
namespace {

class ListScheduler {
 public:
  ListScheduler(const env::Problem& problem,
                const TransferTimes& transfers,
                std::span<const double> key,
                const ListScheduleOptions& options)
      : problem_(problem),
        graph_(problem.graph()),
        transfers_(transfers),
        arrivals_(problem, transfers, options.transfers),
        options_(options),
        order_(OrderByKey(problem.graph(), key)),
        ops_of_group_(OpsOfGroups(problem)),
        timelines_(problem.hardware().num_devices()),
        is_decided_(ops_of_group_.size(), 0),
        is_scheduled_(graph_.num_ops(), 0) {
    if (options.memory_share.has_value()) {
      memory_.emplace(problem, *options.memory_share);
    }
    result_.device_of_group.resize(ops_of_group_.size());
    result_.start.resize(graph_.num_ops());
    result_.finish.resize(graph_.num_ops());
    FindAnchors();
  }

  ListSchedule Build() && {
    for (const OpId op : order_) {
      const std::size_t group = GroupOf(problem_, op);
      if (is_decided_[group] == 0) {
        Decide(group, op);
      }
      Place(op, result_.device_of_group[group]);
    }
    return std::move(result_);
  }

 private:
  // The first op of each group in the list that takes time, else its first.
  void FindAnchors() {
    anchor_.resize(ops_of_group_.size());
    std::vector<std::uint8_t> is_found(ops_of_group_.size(), 0);
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const std::size_t group = GroupOf(problem_, *it);
      const bool takes_time = problem_.costs().MeanSeconds(*it) > 0.0;
      if (takes_time || is_found[group] == 0) {
        anchor_[group] = *it;
      }
      is_found[group] = is_found[group] != 0 || takes_time ? 1 : 0;
    }
  }

  void Decide(std::size_t group, OpId first_op) {
    std::optional<DeviceId> best;
    SimTime best_score;
    const std::vector<TensorId> arriving = ArrivingTensors(group);
    for (const DeviceId device : Candidates(group)) {
      const SimTime score = options_.group_device == GroupDeviceRule::kFirstOp
                                ? Finish(first_op, device)
                                : WholeGroupScore(group, device, arriving);
      if (!best.has_value() || score < best_score) {
        best = device;
        best_score = score;
      }
    }
    result_.device_of_group[group] = *best;
    is_decided_[group] = 1;
    if (memory_.has_value()) {
      memory_->Add(group, *best);
    }
  }

  [[nodiscard]] std::vector<DeviceId> Candidates(std::size_t group) const {
    const auto allowed = problem_.AllowedDevices(static_cast<std::int32_t>(group));
    std::vector<DeviceId> open;
    std::ranges::copy_if(allowed, std::back_inserter(open), [&](DeviceId device) {
      return std::ranges::find(options_.devices, device) != options_.devices.end();
    });
    if (open.empty()) {
      open.assign(allowed.begin(), allowed.end());
    }
    if (!memory_.has_value()) {
      return open;
    }
    std::vector<DeviceId> roomy;
    std::ranges::copy_if(open, std::back_inserter(roomy), [&](DeviceId device) {
      return memory_->HasRoom(group, device);
    });
    if (roomy.empty()) {
      roomy.push_back(*std::ranges::max_element(
          open, {}, [&](DeviceId device) { return memory_->RoomLeft(device); }));
    }
    return roomy;
  }

  // What the ops of `group` but its anchor read from other groups that have a device, each once.
  [[nodiscard]] std::vector<TensorId> ArrivingTensors(std::size_t group) const {
    std::vector<TensorId> arriving;
    for (const OpId op : ops_of_group_[group]) {
      for (const TensorId tensor : graph_.inputs(op)) {
        const std::size_t source = GroupOf(problem_, graph_.tensor(tensor).producer);
        if (op != anchor_[group] && is_decided_[source] != 0) {
          arriving.push_back(tensor);
        }
      }
    }
    std::ranges::sort(arriving);
    arriving.erase(std::ranges::unique(arriving).begin(), arriving.end());
    return arriving;
  }

  [[nodiscard]] SimTime WholeGroupScore(std::size_t group,
                                        DeviceId device,
                                        std::span<const TensorId> arriving) const {
    SimTime score = Finish(anchor_[group], device);
    for (const OpId op : ops_of_group_[group]) {
      score += DepartureTimes(op, device);
      if (op != anchor_[group]) {
        score += TimeOf(op, device);
      }
    }
    for (const TensorId tensor : arriving) {
      const DeviceId source = DeviceOf(graph_.tensor(tensor).producer);
      score += transfers_.Time(graph_.tensor(tensor).bytes, source, device);
    }
    return score;
  }

  // The times of the transfers from `op` on `device`, one per tensor and device of decided
  // consumers.
  [[nodiscard]] SimTime DepartureTimes(OpId op, DeviceId device) const {
    SimTime sum;
    for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
      const TensorId tensor = graph_.output(op, k);
      std::vector<std::uint8_t> is_sent(timelines_.size(), 0);
      for (const OpId consumer : graph_.consumers(tensor)) {
        const std::size_t target = GroupOf(problem_, consumer);
        const DeviceId destination = result_.device_of_group[target];
        if (is_decided_[target] != 0 && is_sent[destination.index()] == 0) {
          is_sent[destination.index()] = 1;
          sum += transfers_.Time(graph_.tensor(tensor).bytes, device, destination);
        }
      }
    }
    return sum;
  }

  // What is not scheduled yet delays nothing.
  [[nodiscard]] std::optional<EndOfOp> FindEnd(OpId op) const {
    if (is_scheduled_[op.index()] == 0) {
      return std::nullopt;
    }
    return EndOfOp{.time = result_.finish[op.index()], .device = DeviceOf(op)};
  }

  [[nodiscard]] SimTime TimeOf(OpId op, DeviceId device) const {
    return options_.times != nullptr ? options_.times->time(op, device)
                                     : problem_.costs().time(op, device);
  }

  [[nodiscard]] DeviceId DeviceOf(OpId op) const {
    return result_.device_of_group[GroupOf(problem_, op)];
  }

  [[nodiscard]] SimTime Start(OpId op, DeviceId device) const {
    const DeviceTimeline& timeline = timelines_[device.index()];
    const SimTime ready =
        ReadyTime(graph_, arrivals_, op, device, [&](OpId before) { return FindEnd(before); });
    return options_.gaps == GapRule::kAppend
               ? timeline.EarliestAppend(ready)
               : timeline.EarliestInsertion(ready, TimeOf(op, device));
  }

  [[nodiscard]] SimTime Finish(OpId op, DeviceId device) const {
    return Start(op, device) + TimeOf(op, device);
  }

  void Place(OpId op, DeviceId device) {
    BookInputs(graph_, arrivals_, op, device, [&](OpId before) { return FindEnd(before); });
    const SimTime duration = TimeOf(op, device);
    const SimTime start = Start(op, device);
    timelines_[device.index()].Occupy(start, duration);
    is_scheduled_[op.index()] = 1;
    result_.start[op.index()] = start;
    result_.finish[op.index()] = start + duration;
    result_.makespan = std::max(result_.makespan, start + duration);
  }

  const env::Problem& problem_;
  const sim::OpGraph& graph_;
  const TransferTimes& transfers_;
  Arrivals arrivals_;
  const ListScheduleOptions options_;
  std::vector<OpId> order_;
  std::vector<std::vector<OpId>> ops_of_group_;
  std::vector<OpId> anchor_;  // [num_groups]
  std::vector<DeviceTimeline> timelines_;
  std::vector<std::uint8_t> is_decided_;    // [num_groups]
  std::vector<std::uint8_t> is_scheduled_;  // [num_ops]
  std::optional<GroupMemory> memory_;
  ListSchedule result_;
};

}  // namespace

ListSchedule BuildListSchedule(const env::Problem& problem,
                               const TransferTimes& transfers,
                               std::span<const double> key,
                               const ListScheduleOptions& options) {
  return ListScheduler(problem, transfers, key, options).Build();
}

}  // namespace opyard::agents
