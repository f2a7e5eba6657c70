#include "agents/planning/local_search/recombination.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {
namespace {

// Two names of devices, and the work that placements have under one each.
struct NamePair {
  DeviceId from;
  DeviceId to;
  double seconds = 0.0;
};

// Those that share most work first.
std::vector<NamePair> NamePairs(const GroupGraph& graph,
                                std::span<const DeviceId> devices,
                                std::span<const DeviceId> reference,
                                std::span<const DeviceId> placement) {
  std::map<std::pair<DeviceId, DeviceId>, double> shared;
  for (std::size_t group = 0; group < placement.size(); ++group) {
    shared[{placement[group], reference[group]}] += graph.seconds[group];
  }
  std::vector<NamePair> pairs;
  for (const DeviceId from : devices) {
    for (const DeviceId to : devices) {
      pairs.push_back({.from = from, .to = to, .seconds = shared[{from, to}]});
    }
  }
  std::ranges::stable_sort(pairs, std::ranges::greater(), &NamePair::seconds);
  return pairs;
}

// Calls `visit` with `seed` and with every group that is reached from it over groups that `visit`
// returned true for.
void Flood(const GroupGraph& graph,
           std::size_t seed,
           const std::function<bool(std::size_t from, std::size_t to)>& visit) {
  std::vector<std::size_t> open{seed};
  while (!open.empty()) {
    const std::size_t group = open.back();
    open.pop_back();
    for (std::size_t e = graph.first_edge[group]; e < graph.first_edge[group + 1]; ++e) {
      if (visit(group, graph.neighbour[e])) {
        open.push_back(graph.neighbour[e]);
      }
    }
  }
}

std::optional<std::size_t> RandomDifference(std::span<const DeviceId> a,
                                            std::span<const DeviceId> b,
                                            Rng& rng) {
  std::vector<std::size_t> different;
  for (std::size_t group = 0; group < a.size(); ++group) {
    if (a[group] != b[group]) {
      different.push_back(group);
    }
  }
  return different.empty() ? std::nullopt : std::optional(different[rng.Below(different.size())]);
}

}  // namespace

env::GroupPlacement AlignedTo(const env::Problem& problem,
                              const GroupGraph& graph,
                              std::span<const DeviceId> reference,
                              std::span<const DeviceId> placement) {
  std::map<DeviceId, DeviceId> name_of;
  std::set<DeviceId> taken;
  for (const NamePair& pair : NamePairs(graph, MainDevices(problem), reference, placement)) {
    if (!name_of.contains(pair.from) && taken.insert(pair.to).second) {
      name_of[pair.from] = pair.to;
    }
  }
  env::GroupPlacement aligned(placement.begin(), placement.end());
  for (std::size_t group = 0; group < aligned.size(); ++group) {
    const auto name = name_of.find(aligned[group]);
    if (name != name_of.end() && IsAllowed(problem, group, name->second)) {
      aligned[group] = name->second;
    }
  }
  return aligned;
}

std::vector<std::size_t> AgreedUnits(const GroupGraph& graph,
                                     std::span<const env::GroupPlacement> placements) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> unit(graph.num_groups(), kNone);
  std::size_t num_units = 0;
  for (std::size_t seed = 0; seed < unit.size(); ++seed) {
    if (unit[seed] != kNone) {
      continue;
    }
    unit[seed] = num_units;
    Flood(graph, seed, [&](std::size_t from, std::size_t to) {
      const bool joins =
          unit[to] == kNone &&
          std::ranges::all_of(placements, [&](const auto& each) { return each[from] == each[to]; });
      unit[to] = joins ? num_units : unit[to];
      return joins;
    });
    ++num_units;
  }
  return unit;
}

bool TakeOver(const GroupGraph& graph,
              std::span<const DeviceId> donor,
              std::size_t seed,
              Extent extent,
              env::GroupPlacement& placement,
              Rng& rng) {
  if (donor[seed] == placement[seed]) {
    const std::optional<std::size_t> other = RandomDifference(placement, donor, rng);
    if (!other.has_value()) {
      return false;
    }
    seed = *other;
  }
  const DeviceId from = placement[seed];
  const DeviceId to = donor[seed];
  placement[seed] = to;
  Flood(graph, seed, [&](std::size_t, std::size_t next) {
    const bool is_one_pair = placement[next] == from && donor[next] == to;
    const bool joins =
        placement[next] != donor[next] && (extent == Extent::kAllPairs || is_one_pair);
    placement[next] = joins ? donor[next] : placement[next];
    return joins;
  });
  return true;
}

}  // namespace opyard::agents
