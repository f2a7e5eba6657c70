#include "agents/search/simulated_annealing/moves.h"

#include <algorithm>
#include <cmath>

#include "agents/planning/simple_plans.h"

namespace opyard::agents {

Moves::Moves(const env::Problem& problem, MoveOptions options)
    : problem_(problem),
      options_(options),
      order_(GroupsInTopologicalOrder(problem)),
      can_move_levels_(problem.tasks().scheduling && options.num_levels > 1),
      can_move_fusion_(problem.tasks().fusion) {
  for (std::size_t i = 0; i < order_.size() && problem.tasks().placement; ++i) {
    if (problem.AllowedDevices(static_cast<std::int32_t>(order_[i])).size() > 1) {
      movable_.push_back(i);
    }
  }
}

Decisions Moves::Neighbour(const Decisions& state, Rng& rng) const {
  Decisions neighbour = state;
  const std::size_t num_device = movable_.empty() ? 0 : 1;
  const std::size_t num_kinds =
      num_device + (can_move_levels_ ? 1 : 0) + (can_move_fusion_ ? 1 : 0);
  const std::size_t kind = num_kinds > 1 ? rng.Below(num_kinds) : 0;
  if (kind < num_device) {
    MoveDevice(neighbour, rng);
  } else if (can_move_levels_ && kind == num_device) {
    MoveLevel(options_.num_levels, neighbour.priority_of_group, rng);
  } else if (can_move_fusion_) {
    MoveLevel(kNumFusionLevels, neighbour.fusion_of_group, rng);
  }
  return neighbour;
}

std::size_t Moves::DrawLength(Rng& rng) const {
  const double most = std::log2(static_cast<double>(options_.longest_run) + 1.0);
  const auto length = static_cast<std::size_t>(std::exp2(rng.Uniform() * most));
  return std::clamp<std::size_t>(length, 1, options_.longest_run);
}

void Moves::MoveDevice(Decisions& state, Rng& rng) const {
  const std::size_t begin = movable_[rng.Below(movable_.size())];
  const std::size_t first = order_[begin];
  const auto allowed = problem_.AllowedDevices(static_cast<std::int32_t>(first));
  std::vector<DeviceId> others(allowed.begin(), allowed.end());
  std::erase(others, state.device_of_group[first]);
  const DeviceId device = others[rng.Below(others.size())];
  const std::size_t end = std::min(begin + DrawLength(rng), order_.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (IsAllowed(problem_, order_[i], device)) {
      state.device_of_group[order_[i]] = device;
    }
  }
}

template <class Level>
void Moves::MoveLevel(std::int64_t num_levels, std::vector<Level>& level_of_group, Rng& rng) const {
  const std::size_t begin = rng.Below(order_.size());
  auto level = static_cast<Level>(rng.Between(0, num_levels - 2));
  level += level >= level_of_group[order_[begin]] ? 1 : 0;  // any level but the present one
  const std::size_t end = std::min(begin + DrawLength(rng), order_.size());
  for (std::size_t i = begin; i < end; ++i) {
    level_of_group[order_[i]] = level;
  }
}

}  // namespace opyard::agents
