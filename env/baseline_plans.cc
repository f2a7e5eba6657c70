#include "env/baseline_plans.h"

#include <algorithm>

#include "env/action_codec.h"
#include "env/group_placement.h"

namespace opyard::env {
namespace {

// `wanted` for each group if it may run there, else the group's default.
class PreferredPlacement {
 public:
  explicit PreferredPlacement(const Problem& problem)
      : problem_(problem),
        device_of_group_(static_cast<std::size_t>(problem.grouping().num_groups)) {
    for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
      const auto group = static_cast<std::size_t>(problem.grouping().group_of[op]);
      device_of_group_[group] = problem.default_placement()[op];
    }
  }

  void Prefer(std::size_t group, DeviceId wanted) {
    const auto allowed = problem_.AllowedDevices(GroupId(group));
    if (std::ranges::find(allowed, wanted) != allowed.end()) {
      device_of_group_[group] = wanted;
    }
  }

  [[nodiscard]] std::size_t num_groups() const { return device_of_group_.size(); }
  [[nodiscard]] sim::Plan ToPlan() const { return PlanFromGroups(problem_, device_of_group_); }

 private:
  const Problem& problem_;
  GroupPlacement device_of_group_;
};

// The accelerators; all devices if there is none.
std::vector<DeviceId> DevicesToShare(const Problem& problem) {
  std::vector<DeviceId> accelerators;
  for (const DeviceId device : problem.devices()) {
    if (problem.hardware().devices[device.index()].kind != sim::DeviceKind::kCpu) {
      accelerators.push_back(device);
    }
  }
  return accelerators.empty() ? problem.devices() : accelerators;
}

// [num_groups], seconds.
std::vector<double> MeanSecondsOfGroups(const Problem& problem) {
  std::vector<double> seconds(static_cast<std::size_t>(problem.grouping().num_groups), 0.0);
  for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
    const auto group = static_cast<std::size_t>(problem.grouping().group_of[op]);
    seconds[group] += problem.costs().MeanSeconds(OpId(op));
  }
  return seconds;
}

}  // namespace

std::vector<sim::Plan> SingleDevicePlans(const Problem& problem) {
  std::vector<sim::Plan> plans;
  for (const DeviceId device : problem.devices()) {
    PreferredPlacement placement(problem);
    for (std::size_t group = 0; group < placement.num_groups(); ++group) {
      placement.Prefer(group, device);
    }
    sim::Plan plan = placement.ToPlan();
    if (std::ranges::find(plans, plan) == plans.end()) {
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

sim::Plan ContiguousSplitPlan(const Problem& problem) {
  const std::vector<DeviceId> devices = DevicesToShare(problem);
  const std::vector<double> seconds = MeanSecondsOfGroups(problem);
  double total_s = 0.0;
  for (const double group_s : seconds) {
    total_s += group_s;
  }
  PreferredPlacement placement(problem);
  const auto num_shares = static_cast<double>(devices.size());
  double before_s = 0.0;
  for (std::size_t group = 0; group < seconds.size(); ++group) {
    // The share in which the middle of the group's time lies.
    const double middle_s = before_s + seconds[group] / 2.0;
    const double share = total_s > 0.0 ? middle_s / total_s * num_shares : 0.0;
    placement.Prefer(group, devices[std::min(static_cast<std::size_t>(share), devices.size() - 1)]);
    before_s += seconds[group];
  }
  return placement.ToPlan();
}

std::vector<sim::Plan> BaselinePlans(const Problem& problem) {
  std::vector<sim::Plan> plans = SingleDevicePlans(problem);
  plans.push_back(ContiguousSplitPlan(problem));
  return plans;
}

}  // namespace opyard::env
