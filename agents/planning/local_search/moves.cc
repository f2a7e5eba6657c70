#include "agents/planning/local_search/moves.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <unordered_set>
#include <utility>

#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/local_search/order_changes.h"
#include "agents/planning/local_search/recombination.h"
#include "env/plan_queue.h"

namespace opyard::agents {

namespace {

// An index below `count`, as often as its weight says; weights are added a little, so that none is
// never sampled.
template <class WeightOf>
std::size_t SampleOf(std::size_t count, const WeightOf& weight_of, Rng& rng) {
  constexpr double kLeast = 1e-3;
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += weight_of(i) + kLeast;
  }
  double sample = rng.Uniform() * sum;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    sample -= weight_of(i) + kLeast;
    if (sample < 0.0) {
      return i;
    }
  }
  return count - 1;
}

}  // namespace

Moves::Moves(const env::Problem& problem, MoveOptions options)
    : problem_(problem),
      options_(std::move(options)),
      order_(GroupsInTopologicalOrder(problem)),
      kinds_({}) {
  for (std::size_t i = 0; i < order_.size() && problem.tasks().placement; ++i) {
    if (problem.AllowedDevices(GroupId(order_[i])).size() > 1) {
      movable_.push_back(i);
    }
  }
  const double shares_by_neighbours = options_.share_of_regions + options_.share_of_clusters +
                                      options_.share_of_reassignments + options_.share_of_takeovers;
  if (shares_by_neighbours > 0.0 && !movable_.empty()) {
    graph_ = BuildGroupGraph(problem);
  }
  if (options_.share_of_clusters > 0.0 && !movable_.empty()) {
    clusters_ = options_.clusters != nullptr ? *options_.clusters : ClustersOf(graph_);
  }
  MakeShares();
}

void Moves::MakeShares() {
  const bool can_move_devices = !movable_.empty();
  const bool can_move_levels = problem_.tasks().scheduling && options_.num_levels > 1;
  const double others =
      options_.share_of_regions + options_.share_of_clusters + options_.share_of_swaps;
  std::vector<double> shares(kNumKinds, 0.0);
  if (can_move_devices) {
    shares[kRun] = std::max(0.0, 1.0 - others);
    shares[kRegion] = options_.share_of_regions;
    shares[kCluster] = clusters_.empty() ? 0.0 : options_.share_of_clusters;
    shares[kSwap] = options_.share_of_swaps;
    shares[kReassignment] = options_.share_of_reassignments;
    shares[kTakeover] = elites_.empty() ? 0.0 : options_.share_of_takeovers;
  }
  shares[kLevel] = can_move_levels ? 1.0 : 0.0;
  shares[kOrder] = env::AsksForOrder(problem_) ? options_.share_of_orders : 0.0;
  shares[kFusion] = problem_.tasks().fusion ? 1.0 : 0.0;
  kinds_ = OperatorSelection(shares);
  MakeSizes();
}

void Moves::MakeSizes() {
  sizes_.clear();
  const auto num_lengths =
      static_cast<std::size_t>(std::bit_width(std::max<std::size_t>(1, options_.longest_run)));
  std::vector<std::size_t> num_sizes(kNumKinds, num_lengths);
  num_sizes[kSwap] = 1;
  num_sizes[kCluster] = std::max<std::size_t>(1, clusters_.size());
  num_sizes[kTakeover] = std::max<std::size_t>(1, elites_.size());
  for (const std::size_t count : num_sizes) {
    sizes_.emplace_back(std::vector<double>(count, 1.0));
  }
}

void Moves::Learn(bool has_paid) {
  kinds_.Learn(kind_, has_paid);
  sizes_[kind_].Learn(size_, has_paid);
  if (!sums_.empty()) {
    origins_.Learn(origin_, has_paid);
  }
}

void Moves::BeginAt(std::span<const double> weight_of_group) {
  sums_.clear();
  double sum = 0.0;
  for (const std::size_t group : order_) {
    sum += weight_of_group[group];
    sums_.push_back(sum);
  }
  if (sum <= 0.0) {
    sums_.clear();
  }
}

std::size_t Moves::SampleByWeight(Rng& rng) const {
  const auto at = std::ranges::upper_bound(sums_, rng.Uniform() * sums_.back());
  return std::min(static_cast<std::size_t>(at - sums_.begin()), sums_.size() - 1);
}

void Moves::SetReassignments(std::vector<Reassignment> reassignments) {
  reassignments_ = std::move(reassignments);
}

void Moves::SetStartOrder(std::vector<OpId> order) {
  start_order_ = std::move(order);
}

void Moves::SetOvertakings(std::vector<Overtaking> overtakings) {
  overtakings_ = std::move(overtakings);
}

void Moves::SetElites(std::span<const env::GroupPlacement> elites) {
  if (movable_.empty() || elites.size() < 2) {
    return;
  }
  elites_.clear();
  for (const env::GroupPlacement& elite : elites) {
    elites_.push_back(AlignedTo(problem_, graph_, elites.front(), elite));
  }
  for (std::size_t count = 2; count <= elites_.size(); count *= 2) {
    clusters_.push_back(PartitionOf(AgreedUnits(graph_, std::span(elites_).first(count))));
  }
  MakeShares();
}

Decisions Moves::Neighbour(const Decisions& state, Rng& rng) {
  Decisions neighbour = state;
  kind_ = static_cast<Kind>(kinds_.Sample(rng));
  size_ = sizes_[kind_].Sample(rng);
  origin_ = sums_.empty() ? kAnywhere : static_cast<Origin>(origins_.Sample(rng));
  if (kind_ == kOrder && ChangeOrder(neighbour, rng)) {
    return neighbour;
  }
  const bool moves_level = kind_ == kLevel || kind_ == kOrder;
  if (neighbour.sequence != nullptr && (moves_level || rng.Below(2) == 0)) {
    DropSequence(problem_, options_.num_levels, neighbour);
  }
  if (moves_level) {
    MoveLevel(options_.num_levels, neighbour.priority_of_group, rng);
  } else if (kind_ == kFusion) {
    MoveLevel(kNumFusionLevels, neighbour.fusion_of_group, rng);
  } else {
    MoveDevice(kind_, neighbour, rng);
  }
  return neighbour;
}

std::size_t Moves::SampleLength(Rng& rng) const {
  const auto least = std::size_t{1} << size_;
  const auto length =
      static_cast<std::size_t>(std::exp2(static_cast<double>(size_) + rng.Uniform()));
  return std::clamp<std::size_t>(length, least, options_.longest_run);
}

void Moves::MoveDevice(Kind kind, Decisions& state, Rng& rng) const {
  const std::size_t begin = movable_[SampleMovable(state, rng)];
  const std::size_t group = order_[begin];
  if ((kind == kSwap && Swap(group, state, rng)) ||
      (kind == kReassignment && Reassign(state, rng)) ||
      (kind == kTakeover && TakeOverFromElite(group, state, rng))) {
    return;
  }
  if (kind == kRegion) {
    MoveTogether(Region(group, state, rng), state, rng);
  } else if (kind == kCluster) {
    MoveTogether(Cluster(group), state, rng);
  } else {
    MoveRun(begin, state, rng);
  }
}

DeviceId Moves::OtherDevice(std::size_t group, DeviceId present, Rng& rng) const {
  const auto allowed = problem_.AllowedDevices(GroupId(group));
  std::vector<DeviceId> others(allowed.begin(), allowed.end());
  std::erase(others, present);
  if (options_.device_affinity.empty() || rng.Below(2) == 0) {
    return others[rng.Below(others.size())];
  }
  return others[SampleOf(
      others.size(), [&](std::size_t i) { return Affinity(group, others[i]); }, rng)];
}

std::size_t Moves::SampleMovable(const Decisions& state, Rng& rng) const {
  if (origin_ == kByWeight) {
    const auto at = std::ranges::lower_bound(movable_, SampleByWeight(rng));
    return at == movable_.end() ? movable_.size() - 1
                                : static_cast<std::size_t>(at - movable_.begin());
  }
  if (options_.device_affinity.empty() || rng.Below(2) == 0) {
    return rng.Below(movable_.size());
  }
  return SampleOf(
      movable_.size(),
      [&](std::size_t i) {
        const std::size_t group = order_[movable_[i]];
        return 1.0 - Affinity(group, state.device_of_group[group]);
      },
      rng);
}

double Moves::Affinity(std::size_t group, DeviceId device) const {
  const std::size_t num_devices = options_.device_affinity.size() / order_.size();
  return options_.device_affinity[group * num_devices + device.index()];
}

void Moves::MoveRun(std::size_t begin, Decisions& state, Rng& rng) const {
  const std::size_t first = order_[begin];
  const DeviceId device = OtherDevice(first, state.device_of_group[first], rng);
  const std::size_t end = std::min(begin + SampleLength(rng), order_.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (IsAllowed(problem_, order_[i], device)) {
      state.device_of_group[order_[i]] = device;
    }
  }
}

// The first of `groups` is the one that was sampled.
void Moves::MoveTogether(std::span<const std::size_t> groups, Decisions& state, Rng& rng) const {
  const std::size_t seed = groups.front();
  const DeviceId device = rng.Below(2) == 0 ? DeviceNearby(groups, state, rng)
                                            : OtherDevice(seed, state.device_of_group[seed], rng);
  bool has_moved = false;
  for (const std::size_t group : groups) {
    if (IsAllowed(problem_, group, device) && state.device_of_group[group] != device) {
      state.device_of_group[group] = device;
      has_moved = true;
    }
  }
  if (!has_moved) {
    state.device_of_group[seed] = OtherDevice(seed, state.device_of_group[seed], rng);
  }
}

// The device of one of the groups beside `groups` that is not on that of the first of them; that
// one if there are none. Devices with more such groups are sampled more often.
DeviceId Moves::DeviceNearby(std::span<const std::size_t> groups,
                             const Decisions& state,
                             Rng& rng) const {
  const DeviceId own = state.device_of_group[groups.front()];
  std::vector<DeviceId> elsewhere;
  for (const std::size_t group : groups) {
    for (std::size_t e = graph_.first_edge[group]; e < graph_.first_edge[group + 1]; ++e) {
      const DeviceId device = state.device_of_group[graph_.neighbour[e]];
      if (device != own) {
        elsewhere.push_back(device);
      }
    }
  }
  return elsewhere.empty() ? own : elsewhere[rng.Below(elsewhere.size())];
}

// The sampled group first.
std::vector<std::size_t> Moves::Cluster(std::size_t seed) const {
  const GroupPartition& partition = clusters_[size_];
  std::vector<std::size_t> groups = partition.groups_of_part[partition.part_of_group[seed]];
  std::swap(groups.front(), *std::ranges::find(groups, seed));
  return groups;
}

// Grows by a random neighbour at a time, over groups on the seed's device.
std::vector<std::size_t> Moves::Region(std::size_t seed, const Decisions& state, Rng& rng) const {
  const std::size_t length = SampleLength(rng);
  std::vector<std::size_t> region{seed};
  std::vector<std::size_t> frontier;
  std::unordered_set<std::size_t> seen{seed};
  const auto look_around = [&](std::size_t group) {
    for (std::size_t e = graph_.first_edge[group]; e < graph_.first_edge[group + 1]; ++e) {
      const std::size_t next = graph_.neighbour[e];
      if (state.device_of_group[next] == state.device_of_group[seed] && seen.insert(next).second) {
        frontier.push_back(next);
      }
    }
  };
  look_around(seed);
  while (region.size() < length && !frontier.empty()) {
    std::swap(frontier[rng.Below(frontier.size())], frontier.back());
    region.push_back(frontier.back());
    frontier.pop_back();
    look_around(region.back());
  }
  return region;
}

// False if no reassignment is left to make.
bool Moves::Reassign(Decisions& state, Rng& rng) const {
  std::vector<const Reassignment*> open;
  double seconds = 0.0;
  for (const Reassignment& each : reassignments_) {
    if (state.device_of_group[each.group] != each.device) {
      open.push_back(&each);
      seconds += each.seconds;
    }
  }
  if (open.empty()) {
    return false;
  }
  const Reassignment& chosen = *open[SampleOf(
      open.size(), [&](std::size_t i) { return open[i]->seconds / seconds; }, rng)];
  for (const std::size_t group : Region(chosen.group, state, rng)) {
    if (IsAllowed(problem_, group, chosen.device)) {
      state.device_of_group[group] = chosen.device;
    }
  }
  return true;
}

// False if the elite has all groups on the same devices.
bool Moves::TakeOverFromElite(std::size_t group, Decisions& state, Rng& rng) const {
  constexpr double kShareOfOnePair = 0.7;
  const Extent extent = rng.Uniform() < kShareOfOnePair ? Extent::kOnePair : Extent::kAllPairs;
  return TakeOver(graph_, elites_[size_], group, extent, state.device_of_group, rng);
}

// False if the group sampled to change places with is on the same device, or may not.
bool Moves::Swap(std::size_t group, Decisions& state, Rng& rng) const {
  const std::size_t other = order_[movable_[rng.Below(movable_.size())]];
  DeviceId& a = state.device_of_group[group];
  DeviceId& b = state.device_of_group[other];
  if (a == b || !IsAllowed(problem_, group, b) || !IsAllowed(problem_, other, a)) {
    return false;
  }
  std::swap(a, b);
  return true;
}

bool Moves::ChangeOrder(Decisions& state, Rng& rng) const {
  if (overtakings_.empty()) {
    return false;
  }
  const std::vector<OpId> order = PresentOrder(state);
  const Overtaking& change = SampleOvertaking(rng);
  const auto changed = rng.Below(2) == 0
                           ? WithOpBefore(problem_.graph(), order, change.op, change.ahead)
                           : WithOpBehind(problem_.graph(), order, change.ahead, change.op);
  if (!changed.has_value()) {
    return false;
  }
  state.sequence = std::make_shared<const std::vector<OpId>>(*changed);
  const std::size_t group = GroupOf(problem_, change.op);
  if (!movable_.empty() && problem_.AllowedDevices(GroupId(group)).size() > 1 &&
      rng.Below(2) == 0) {
    state.device_of_group[group] = OtherDevice(group, state.device_of_group[group], rng);
  }
  return true;
}

std::vector<OpId> Moves::PresentOrder(const Decisions& state) const {
  if (state.sequence != nullptr) {
    return *state.sequence;
  }
  return start_order_.empty() ? env::ListOrderOf(problem_.graph(), PrioritiesOf(problem_, state))
                              : start_order_;
}

// In proportion to their seconds. REQUIRES: there are any.
const Overtaking& Moves::SampleOvertaking(Rng& rng) const {
  double seconds = 0.0;
  for (const Overtaking& each : overtakings_) {
    seconds += each.seconds;
  }
  return overtakings_[SampleOf(
      overtakings_.size(), [&](std::size_t i) { return overtakings_[i].seconds / seconds; }, rng)];
}

template <class Level>
void Moves::MoveLevel(std::int64_t num_levels, std::vector<Level>& level_of_group, Rng& rng) const {
  const std::size_t begin = origin_ == kByWeight ? SampleByWeight(rng) : rng.Below(order_.size());
  auto level = static_cast<Level>(rng.Between(0, num_levels - 2));
  level += level >= level_of_group[order_[begin]] ? 1 : 0;  // any level but the present one
  const std::size_t end = std::min(begin + SampleLength(rng), order_.size());
  for (std::size_t i = begin; i < end; ++i) {
    level_of_group[order_[i]] = level;
  }
}

}  // namespace opyard::agents
