#include "agents/planning/initial_plans/device_symmetry.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "sim/hardware/channel_map.h"

namespace opyard::agents {
namespace {

constexpr std::size_t kMostDevices = 64;
constexpr std::int64_t kMostSteps = 10'000;
constexpr double kBeginning = 0.1;  // of a device's time
constexpr std::size_t kNoName = std::numeric_limits<std::size_t>::max();

// Numbers for values that differ.
template <class Value>
class Kinds {
 public:
  std::int32_t Of(Value value) {
    return kinds_.try_emplace(std::move(value), static_cast<std::int32_t>(kinds_.size()))
        .first->second;
  }

 private:
  std::map<Value, std::int32_t> kinds_;
};

// The groups that may be on each device, as a row of a table: [D][num_groups].
std::vector<std::vector<bool>> AllowedGroups(const env::Problem& problem) {
  std::vector<std::vector<bool>> allowed(problem.hardware().num_devices(),
                                         std::vector<bool>(NumGroups(problem), false));
  for (std::size_t group = 0; group < NumGroups(problem); ++group) {
    for (const DeviceId device : problem.AllowedDevices(GroupId(group))) {
      allowed[device.index()][group] = true;
    }
  }
  return allowed;
}

// The first device that every op takes as long on.
std::size_t FirstAlike(const env::Problem& problem, std::size_t device) {
  std::size_t first = 0;
  while (!problem.costs().CostAlike(DeviceId(first), DeviceId(device))) {
    ++first;
  }
  return first;
}

// The devices of groups under the names that devices have, [D].
env::GroupPlacement WithNames(std::span<const DeviceId> device_of_group,
                              const std::vector<std::size_t>& name_of) {
  env::GroupPlacement named;
  named.reserve(device_of_group.size());
  for (const DeviceId device : device_of_group) {
    named.push_back(DeviceId(name_of[device.index()]));
  }
  return named;
}

}  // namespace

DeviceSymmetry::DeviceSymmetry(const env::Problem& problem)
    : group_order_(GroupsInTopologicalOrder(problem)), group_seconds_(NumGroups(problem), 0.0) {
  if (problem.hardware().num_devices() > kMostDevices) {
    return;
  }
  for (const OpId op : problem.graph().topological_order()) {
    group_seconds_[GroupOf(problem, op)] += problem.costs().MeanSeconds(op);
  }
  FindKinds(problem);
  FindJoints(problem);
}

void DeviceSymmetry::FindKinds(const env::Problem& problem) {
  const std::vector<std::vector<bool>> allowed = AllowedGroups(problem);
  Kinds<std::tuple<std::size_t, std::int64_t, std::int32_t, std::vector<bool>>> kinds;
  for (std::size_t device = 0; device < allowed.size(); ++device) {
    kind_.push_back(kinds.Of({FirstAlike(problem, device),
                              problem.hardware().capacity(DeviceId(device)).count,
                              problem.hardware().devices[device].memory_pool,
                              allowed[device]}));
  }
}

void DeviceSymmetry::FindJoints(const env::Problem& problem) {
  sim::ChannelMap channels(problem.hardware());
  Kinds<std::tuple<bool, std::int64_t, double, std::size_t>> kinds;
  for (std::size_t src = 0; src < kind_.size(); ++src) {
    for (std::size_t dst = 0; dst < kind_.size(); ++dst) {
      const sim::Route* route = problem.routes().Find(DeviceId(src), DeviceId(dst));
      Joint joint;
      if (route != nullptr) {
        joint.channels = channels.Occupied(*route, DeviceId(src), DeviceId(dst));
      }
      joint.kind = kinds.Of({route != nullptr,
                             route == nullptr ? 0 : route->latency.picoseconds,
                             route == nullptr ? 0.0 : route->bandwidth_bytes_per_s,
                             joint.channels.size()});
      joints_.push_back(std::move(joint));
    }
  }
}

std::vector<std::size_t> DeviceSymmetry::ByBeginning(std::span<const DeviceId> device_of_group,
                                                     std::span<const std::size_t> group_order,
                                                     double share) const {
  std::vector<double> seconds(kind_.size(), 0.0);
  for (std::size_t group = 0; group < device_of_group.size(); ++group) {
    seconds[device_of_group[group].index()] += group_seconds_[group];
  }
  std::vector<double> so_far(kind_.size(), 0.0);
  std::vector<bool> is_known(kind_.size(), false);
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t device) {
    if (!is_known[device]) {
      is_known[device] = true;
      order.push_back(device);
    }
  };
  for (const std::size_t group : group_order) {
    const std::size_t device = device_of_group[group].index();
    so_far[device] += group_seconds_[group];
    if (so_far[device] > share * seconds[device]) {
      add(device);
    }
  }
  for (const std::size_t group : group_order) {  // those whose ops take no time
    add(device_of_group[group].index());
  }
  for (std::size_t device = 0; device < kind_.size(); ++device) {
    add(device);
  }
  return order;
}

bool DeviceSymmetry::Fits(const std::vector<std::size_t>& order,
                          std::size_t place,
                          std::size_t name,
                          const std::vector<std::size_t>& name_of) const {
  const std::size_t device = order[place];
  if (kind_[device] != kind_[name]) {
    return false;
  }
  for (std::size_t i = 0; i < place; ++i) {
    const std::size_t other = order[i];
    if (name_of[other] == name || At(device, other).kind != At(name, name_of[other]).kind ||
        At(other, device).kind != At(name_of[other], name).kind) {
      return false;
    }
  }
  return true;
}

bool DeviceSymmetry::Name(const std::vector<std::size_t>& order,
                          std::size_t place,
                          std::vector<std::size_t>& name_of,
                          std::int64_t& steps_left) const {
  if (place == order.size()) {
    return KeepsChannels(name_of);
  }
  for (std::size_t name = 0; name < order.size() && --steps_left > 0; ++name) {
    if (Fits(order, place, name, name_of)) {
      name_of[order[place]] = name;
      if (Name(order, place + 1, name_of, steps_left)) {
        return true;
      }
    }
  }
  return false;
}

bool DeviceSymmetry::KeepsChannels(const std::vector<std::size_t>& name_of) const {
  std::map<std::int32_t, std::set<std::int32_t>> names;  // what a channel may be called
  std::map<std::int32_t, std::int32_t> uses;
  for (std::size_t src = 0; src < name_of.size(); ++src) {
    for (std::size_t dst = 0; dst < name_of.size(); ++dst) {
      const std::vector<std::int32_t>& after = At(name_of[src], name_of[dst]).channels;
      for (const std::int32_t channel : At(src, dst).channels) {
        std::set<std::int32_t>& left = names[channel];
        if (uses[channel]++ == 0) {
          left.insert(after.begin(), after.end());
        } else {
          std::erase_if(left, [&](std::int32_t name) {
            return std::ranges::find(after, name) == after.end();
          });
        }
        if (left.empty()) {
          return false;
        }
      }
    }
  }
  return true;
}

env::GroupPlacement DeviceSymmetry::Renamed(std::span<const DeviceId> device_of_group,
                                            const std::vector<std::size_t>& order) const {
  std::vector<std::size_t> name_of(kind_.size(), kNoName);
  std::int64_t steps_left = kMostSteps;
  if (!Name(order, 0, name_of, steps_left)) {
    return {device_of_group.begin(), device_of_group.end()};
  }
  return WithNames(device_of_group, name_of);
}

env::GroupPlacement DeviceSymmetry::Canonical(std::span<const DeviceId> device_of_group) const {
  if (kind_.empty()) {
    return {device_of_group.begin(), device_of_group.end()};
  }
  return Renamed(device_of_group, ByBeginning(device_of_group, group_order_, kBeginning));
}

env::GroupPlacement DeviceSymmetry::CanonicalByFirstUse(
    std::span<const DeviceId> device_of_group, std::span<const std::size_t> group_order) const {
  if (kind_.empty()) {
    return {device_of_group.begin(), device_of_group.end()};
  }
  return Renamed(device_of_group, ByBeginning(device_of_group, group_order, 0.0));
}

env::GroupPlacement DeviceSymmetry::NamedByFirstUse(
    std::span<const DeviceId> device_of_group, std::span<const std::size_t> group_order) const {
  if (kind_.empty()) {
    return {device_of_group.begin(), device_of_group.end()};
  }
  std::vector<std::size_t> name_of(kind_.size(), kNoName);
  std::vector<bool> is_taken(kind_.size(), false);
  for (const std::size_t device : ByBeginning(device_of_group, group_order, 0.0)) {
    std::size_t name = 0;
    while (is_taken[name] || kind_[name] != kind_[device]) {
      ++name;
    }
    name_of[device] = name;
    is_taken[name] = true;
  }
  return WithNames(device_of_group, name_of);
}

}  // namespace opyard::agents
