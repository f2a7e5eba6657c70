#include "env/contiguity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "env/device_runs.h"
#include "sim/base/error.h"
#include "sim/graph/forward_order.h"

namespace opyard::env {
namespace {

// The sum of all gains stays within int64.
std::int64_t MostGain(std::size_t num_ops) {
  return (std::numeric_limits<std::int64_t>::max() / 2) / static_cast<std::int64_t>(num_ops);
}

// The time that the ops of a member take on each device that they stand on. Ops without time count,
// too, so that a placement that follows the order has the greatest sum alone.
std::map<DeviceId, std::int64_t> TimeOnDevices(std::span<const OpId> ops,
                                               const sim::OpPlacement& placement,
                                               const sim::CostTable& costs) {
  const std::int64_t most = MostGain(placement.size());
  std::map<DeviceId, std::int64_t> times;
  for (const OpId op : ops) {
    const DeviceId device = placement[op.index()];
    times[device] += std::min(costs.time(op, device).picoseconds, most - 1) + 1;
  }
  return times;
}

// The devices by the mean place of what gains by them, those without any last.
std::vector<std::size_t> ByMeanPlace(std::span<const Segment> segments, std::size_t num_devices) {
  std::vector<double> weight(num_devices);
  std::vector<double> place(num_devices);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    for (const SegmentGain& gain : segments[i].gains) {
      weight[gain.device] += static_cast<double>(gain.gain);
      place[gain.device] += static_cast<double>(gain.gain) * static_cast<double>(i);
    }
  }
  const auto mean = [&](std::size_t device) {
    return weight[device] > 0.0 ? place[device] / weight[device]
                                : std::numeric_limits<double>::infinity();
  };
  std::vector<std::size_t> order(num_devices);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, mean);
  return order;
}

// `segments` with devices numbered by their place in `order`.
std::vector<Segment> Renumbered(std::span<const Segment> segments,
                                std::span<const std::size_t> order) {
  std::vector<std::size_t> number_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number_of[order[i]] = i;
  }
  std::vector<Segment> renumbered(segments.begin(), segments.end());
  for (Segment& segment : renumbered) {
    for (SegmentGain& gain : segment.gains) {
      gain.device = number_of[gain.device];
    }
    const std::vector<bool> may_run = segment.may_run;
    for (std::size_t i = 0; i < order.size(); ++i) {
      segment.may_run[i] = may_run[order[i]];
    }
  }
  return renumbered;
}

// The device of each segment, as far as the table of the exact search is held.
std::optional<std::vector<std::size_t>> FindRuns(std::span<const Segment> segments,
                                                 std::size_t num_devices) {
  if (num_devices <= kMostExactDevices &&
      segments.size() * (num_devices << num_devices) <= kMostExactEntries) {
    return BestRuns(segments, num_devices);
  }
  const std::vector<std::size_t> order = ByMeanPlace(segments, num_devices);
  auto runs = BestRunsInOrder(Renumbered(segments, order), num_devices);
  if (runs.has_value()) {
    for (std::size_t& device : *runs) {
      device = order[device];
    }
  }
  return runs;
}

// The members of an order as segments: neighbours that stand on one device and may run on the same.
class OrderSegments {
 public:
  // `devices` are those that segments may have, by their number.
  explicit OrderSegments(std::vector<DeviceId> devices) : devices_(std::move(devices)) {}

  void Add(const std::map<DeviceId, std::int64_t>& times, const std::vector<DeviceId>& allowed) {
    Segment segment;
    for (const DeviceId device : devices_) {
      segment.may_run.push_back(std::ranges::binary_search(allowed, device));
    }
    for (const auto& [device, time] : times) {
      const auto found = std::ranges::find(devices_, device);
      if (found != devices_.end()) {
        segment.gains.push_back(
            {.device = static_cast<std::size_t>(found - devices_.begin()), .gain = time});
      }
    }
    if (Continues(segment)) {
      segments_.back().gains[0].gain += segment.gains[0].gain;
    } else {
      segments_.push_back(std::move(segment));
    }
    segment_of_.push_back(segments_.size() - 1);
  }

  // The device of each member.
  [[nodiscard]] std::optional<std::vector<DeviceId>> Find() const {
    const auto runs = FindRuns(segments_, devices_.size());
    if (!runs.has_value()) {
      return std::nullopt;
    }
    std::vector<DeviceId> of_member;
    for (const std::size_t segment : segment_of_) {
      of_member.push_back(devices_[(*runs)[segment]]);
    }
    return of_member;
  }

 private:
  [[nodiscard]] bool Continues(const Segment& segment) const {
    return !segments_.empty() && segment.gains.size() == 1 && segments_.back().gains.size() == 1 &&
           segments_.back().gains[0].device == segment.gains[0].device &&
           segments_.back().may_run == segment.may_run;
  }

  std::vector<DeviceId> devices_;
  std::vector<Segment> segments_;
  std::vector<std::size_t> segment_of_;  // of each member
};

}  // namespace

Contiguity::Contiguity(const sim::OpGraph& graph,
                       const sim::Grouping& grouping,
                       const AllowedDevices& allowed,
                       std::shared_ptr<const sim::CostTable> costs)
    : costs_(std::move(costs)), num_ops_(graph.num_ops()) {
  std::vector<std::vector<OpId>> ops_of(allowed.size());
  some_.resize(num_ops_);
  for (std::size_t op = 0; op < num_ops_; ++op) {
    const auto group = static_cast<std::size_t>(grouping.group_of[op]);
    ops_of[group].emplace_back(op);
    some_[op] = allowed[group].front();
  }
  for (const std::int32_t group : sim::GroupsInForwardOrder(graph, grouping)) {
    const auto index = static_cast<std::size_t>(group);
    if (allowed[index].size() > 1) {
      members_.push_back({.ops = std::move(ops_of[index]),
                          .devices = {allowed[index].begin(), allowed[index].end()}});
    }
  }
  auto found = FindNearest(some_);
  if (!found.has_value()) {
    throw InputError(
        "contiguous: found no placement in which each device has one run of the network's order, "
        "expected ops that may run on more devices, or contiguous: false");
  }
  some_ = std::move(*found);
}

bool Contiguity::IsLegal(const sim::OpPlacement& placement) const {
  return placement.size() == num_ops_ && std::ranges::all_of(members_, [&](const Member& member) {
           return std::ranges::all_of(member.ops, [&](OpId op) {
             return std::ranges::binary_search(member.devices, placement[op.index()]);
           });
         });
}

bool Contiguity::Holds(const sim::OpPlacement& placement) const {
  if (!IsLegal(placement)) {
    return true;
  }
  std::vector<DeviceId> used;
  for (const Member& member : members_) {
    const DeviceId device = placement[member.ops.front().index()];
    const bool is_whole =
        std::ranges::all_of(member.ops, [&](OpId op) { return placement[op.index()] == device; });
    if (!is_whole) {
      return false;
    }
    if (used.empty() || used.back() != device) {
      if (std::ranges::find(used, device) != used.end()) {
        return false;
      }
      used.push_back(device);
    }
  }
  return true;
}

sim::OpPlacement Contiguity::Nearest(const sim::OpPlacement& placement) const {
  return Holds(placement) ? placement : FindNearest(placement).value_or(some_);
}

// First on the devices that the placement uses, then on all.
std::optional<sim::OpPlacement> Contiguity::FindNearest(const sim::OpPlacement& placement) const {
  std::vector<std::map<DeviceId, std::int64_t>> times;
  std::vector<DeviceId> used;
  std::vector<DeviceId> all;
  for (const Member& member : members_) {
    times.push_back(TimeOnDevices(member.ops, placement, *costs_));
    for (const auto& [device, time] : times.back()) {
      used.push_back(device);
    }
    all.insert(all.end(), member.devices.begin(), member.devices.end());
  }
  for (std::vector<DeviceId>* devices : {&used, &all}) {
    std::ranges::sort(*devices);
    const auto repeated = std::ranges::unique(*devices);
    devices->erase(repeated.begin(), repeated.end());
    OrderSegments segments(*devices);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      segments.Add(times[i], members_[i].devices);
    }
    const auto found = members_.empty() ? std::vector<DeviceId>() : segments.Find();
    if (found.has_value()) {
      sim::OpPlacement nearest = placement;
      for (std::size_t i = 0; i < members_.size(); ++i) {
        for (const OpId op : members_[i].ops) {
          nearest[op.index()] = (*found)[i];
        }
      }
      return nearest;
    }
  }
  return std::nullopt;
}

}  // namespace opyard::env
