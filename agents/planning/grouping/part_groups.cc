#include "agents/planning/grouping/part_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "agents/planning/partitioning/group_graph.h"
#include "agents/planning/partitioning/metis_partition.h"
#include "sim/base/rng.h"
#include "sim/graph/group_numbers.h"

namespace opyard::agents {
namespace {

// Equal numbers where the same devices are allowed: [problem groups].
std::vector<std::int32_t> SetsOfDevices(const env::Problem& problem) {
  std::map<std::vector<DeviceId>, std::int32_t> number;
  std::vector<std::int32_t> set_of_group;
  for (std::int32_t group = 0; group < problem.grouping().num_groups; ++group) {
    const auto allowed = problem.AllowedDevices(GroupId(group));
    const auto found = number.try_emplace(std::vector<DeviceId>(allowed.begin(), allowed.end()),
                                          static_cast<std::int32_t>(number.size()));
    set_of_group.push_back(found.first->second);
  }
  return set_of_group;
}

// A group per pair of a part and a set of devices that occurs. `part`: [problem groups].
sim::Grouping GroupsOf(const env::Problem& problem, const std::vector<std::size_t>& part) {
  const std::vector<std::int32_t> set = SetsOfDevices(problem);
  std::map<std::pair<std::size_t, std::int32_t>, std::int32_t> number;
  std::vector<std::int32_t> label_of_op;
  label_of_op.reserve(problem.graph().num_ops());
  for (const std::int32_t group : problem.grouping().group_of) {
    const auto index = static_cast<std::size_t>(group);
    const auto found = number.try_emplace(std::pair(part[index], set[index]),
                                          static_cast<std::int32_t>(number.size()));
    label_of_op.push_back(found.first->second);
  }
  return sim::NumberedByFirstOp(problem.graph(), label_of_op, number.size());
}

}  // namespace

sim::Grouping MetisGroups(const env::Problem& problem, std::int32_t num_groups, std::int32_t seed) {
  return GroupsOf(
      problem,
      PartitionGroups(
          BuildGroupGraph(problem),
          {.num_parts = static_cast<std::size_t>(num_groups), .part_shares = {}, .seed = seed}));
}

sim::Grouping RandomGroups(const env::Problem& problem,
                           std::int32_t num_groups,
                           std::int32_t seed) {
  const std::vector<std::int32_t> set = SetsOfDevices(problem);
  std::vector<std::size_t> order(set.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(static_cast<std::uint64_t>(seed));
  rng.Shuffle(std::span(order));
  // Those of one set stand together, so that few parts are split.
  std::ranges::stable_sort(order, {}, [&](std::size_t group) { return set[group]; });
  std::vector<std::size_t> part(set.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    part[order[i]] = i * static_cast<std::size_t>(num_groups) / order.size();
  }
  return GroupsOf(problem, part);
}

}  // namespace opyard::agents
