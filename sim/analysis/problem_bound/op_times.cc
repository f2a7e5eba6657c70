#include "sim/analysis/problem_bound/op_times.h"

#include <algorithm>

#include "sim/analysis/problem_bound/fused_op_times.h"
#include "sim/hardware/device.h"

namespace opyard::sim {
namespace {

// Devices of one class run the same ops and take as long for each.
std::vector<std::vector<DeviceId>> ClassesOf(const HardwareProfile& hardware,
                                             const CostTable& costs) {
  const auto sorted = [&](const auto& is_alike) {
    std::vector<std::vector<DeviceId>> classes;
    for (std::size_t d = 0; d < hardware.num_devices(); ++d) {
      if (!hardware.devices[d].runs_ops) {
        continue;
      }
      const auto known = std::ranges::find_if(
          classes, [&](const auto& members) { return is_alike(members.front(), DeviceId(d)); });
      (known == classes.end() ? classes.emplace_back() : *known).push_back(DeviceId(d));
    }
    return classes;
  };
  const auto kind = [&](DeviceId device) { return hardware.devices[device.index()].kind; };
  const auto unsupported = [&](DeviceId device) -> const std::vector<std::string>& {
    return hardware.devices[device.index()].unsupported;
  };
  auto classes = sorted([&](DeviceId a, DeviceId b) {
    return costs.CostAlike(a, b) && kind(a) == kind(b) && unsupported(a) == unsupported(b);
  });
  return classes.size() <= kMostClasses
             ? classes
             : sorted([&](DeviceId a, DeviceId b) { return kind(a) == kind(b); });
}

}  // namespace

OpTimes LeastOpTimes(const OpGraph& graph,
                     const HardwareProfile& hardware,
                     const CostTable& costs,
                     KernelsOfPlans kernels) {
  OpTimes times{.classes = ClassesOf(hardware, costs),
                .time_ps = {},
                .least_ps = std::vector<std::int64_t>(graph.num_ops(), kNoTime)};
  const std::size_t num_classes = times.num_classes();
  times.time_ps.assign(graph.num_ops() * num_classes, kNoTime);
  std::vector<SimTime> on_device(graph.num_ops());
  const KernelGroups groups = FindKernelGroups(graph, hardware.fusion);
  for (std::size_t k = 0; k < num_classes; ++k) {
    for (std::size_t member = 0; member < times.classes[k].size(); ++member) {
      const DeviceId device = times.classes[k][member];
      if (member > 0 && costs.CostAlike(times.classes[k].front(), device) &&
          hardware.devices[device.index()].unsupported ==
              hardware.devices[times.classes[k].front().index()].unsupported) {
        continue;
      }
      if (kernels == KernelsOfPlans::kFused) {
        on_device = LeastTimesInKernels(graph, groups, costs, device);
      }
      for (std::size_t op = 0; op < graph.num_ops(); ++op) {
        if (IsAllowedOn(graph.op(OpId(op)), hardware.devices[device.index()])) {
          const SimTime time =
              kernels == KernelsOfPlans::kFused ? on_device[op] : costs.time(OpId(op), device);
          std::int64_t& least = times.time_ps[op * num_classes + k];
          least = std::min(least, time.picoseconds);
          times.least_ps[op] = std::min(times.least_ps[op], least);
        }
      }
    }
  }
  return times;
}

}  // namespace opyard::sim
