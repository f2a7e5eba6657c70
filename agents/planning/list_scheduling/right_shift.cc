#include "agents/planning/list_scheduling/right_shift.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "agents/planning/estimates/device_timeline.h"
#include "sim/base/ids.h"

namespace opyard::agents {
namespace {

// Under construction, in time that runs from the end of the step back.
class RightShift {
 public:
  RightShift(const env::Problem& problem,
             const ListSchedule& schedule,
             const TransferTimes& transfers,
             const OpTimes& times)
      : graph_(problem.graph()),
        group_of_(problem.grouping().group_of),
        device_of_group_(schedule.device_of_group),
        transfers_(transfers),
        times_(times),
        timelines_(problem.hardware().devices.size()),
        to_end_(graph_.num_ops()) {}

  // REQUIRES: all ops that depend on `op` are placed.
  void Place(OpId op) {
    const DeviceId device = DeviceOf(op);
    const SimTime duration = times_.time(op, device);
    DeviceTimeline& timeline = timelines_[device.index()];
    const SimTime end = timeline.EarliestInsertion(LatestEnd(op, device), duration);
    timeline.Occupy(end, duration);
    to_end_[op.index()] = end + duration;
  }

  [[nodiscard]] std::vector<double> TimesToEnd() const {
    std::vector<double> keys;
    for (const SimTime time : to_end_) {
      keys.push_back(static_cast<double>(time.picoseconds));
    }
    return keys;
  }

 private:
  [[nodiscard]] SimTime LatestEnd(OpId op, DeviceId device) const {
    SimTime latest;
    for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
      const TensorId tensor = graph_.output(op, k);
      for (const OpId consumer : graph_.consumers(tensor)) {
        const SimTime transfer =
            transfers_.Time(graph_.tensor(tensor).bytes, device, DeviceOf(consumer));
        latest = std::max(latest, to_end_[consumer.index()] + transfer);
      }
    }
    for (const OpId consumer : graph_.control_consumers(op)) {
      const SimTime signal = transfers_.ControlTime(device, DeviceOf(consumer));
      latest = std::max(latest, to_end_[consumer.index()] + signal);
    }
    return latest;
  }

  [[nodiscard]] DeviceId DeviceOf(OpId op) const {
    return device_of_group_[static_cast<std::size_t>(group_of_[op.index()])];
  }

  const sim::OpGraph& graph_;
  std::span<const std::int32_t> group_of_;
  const env::GroupPlacement& device_of_group_;
  const TransferTimes& transfers_;
  const OpTimes& times_;
  std::vector<DeviceTimeline> timelines_;
  std::vector<SimTime> to_end_;
};

}  // namespace

std::vector<double> TimesToEnd(const env::Problem& problem,
                               const ListSchedule& schedule,
                               const TransferTimes& transfers,
                               const OpTimes& times) {
  const std::span<const OpId> topological = problem.graph().topological_order();
  std::vector<OpId> order(topological.rbegin(), topological.rend());
  std::ranges::stable_sort(
      order, std::ranges::greater{}, [&](OpId op) { return schedule.finish[op.index()]; });
  RightShift shift(problem, schedule, transfers, times);
  for (const OpId op : order) {
    shift.Place(op);
  }
  return shift.TimesToEnd();
}

}  // namespace opyard::agents
