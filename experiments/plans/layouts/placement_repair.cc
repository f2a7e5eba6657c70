#include "experiments/plans/layouts/placement_repair.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "sim/base/array_index.h"
#include "sim/graph/colocation.h"
#include "sim/hardware/device.h"

namespace opyard::experiments {
namespace {

// The device with most time of `ops`, of equal times the one with most ops, then the first.
DeviceId HeaviestOf(const LayoutInput& input,
                    const std::vector<OpId>& ops,
                    const sim::OpPlacement& placement) {
  std::map<DeviceId, std::array<std::int64_t, 2>> loads;
  for (const OpId op : ops) {
    const DeviceId device = placement[op.index()];
    loads[device][0] += input.problem.costs().time(op, device).picoseconds;
    ++loads[device][1];
  }
  return std::ranges::max_element(loads, {}, [](const auto& entry) { return entry.second; })->first;
}

bool AreAllowedOn(const LayoutInput& input, const std::vector<OpId>& ops, DeviceId device) {
  const sim::Device& at = input.problem.hardware().devices[device.index()];
  return std::ranges::all_of(
      ops, [&](OpId op) { return sim::IsAllowedOn(input.problem.graph().op(op), at); });
}

}  // namespace

sim::OpPlacement WithLegalPlaces(const LayoutInput& input, sim::OpPlacement placement) {
  const sim::Grouping groups = sim::ColocationGroups(input.problem.graph());
  std::vector<std::vector<OpId>> ops_of(At(groups.num_groups));
  for (std::size_t i = 0; i < placement.size(); ++i) {
    ops_of[At(groups.group_of[i])].emplace_back(i);
  }
  for (const std::vector<OpId>& ops : ops_of) {
    const DeviceId wanted = HeaviestOf(input, ops, placement);
    const bool is_allowed = AreAllowedOn(input, ops, wanted);
    for (const OpId op : ops) {
      placement[op.index()] = is_allowed ? wanted : input.plan.placement[op.index()];
    }
  }
  return placement;
}

}  // namespace opyard::experiments
