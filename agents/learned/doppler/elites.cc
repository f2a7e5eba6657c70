#include "agents/learned/doppler/elites.h"

#include <algorithm>

namespace opyard::agents::doppler {
namespace {

// The device of each node.
std::vector<std::int64_t> PlacementOf(const Episode& episode) {
  std::vector<std::int64_t> devices(episode.nodes.size());
  for (std::size_t step = 0; step < episode.nodes.size(); ++step) {
    devices[static_cast<std::size_t>(episode.nodes[step])] = episode.devices[step];
  }
  return devices;
}

}  // namespace

void Elites::Add(double cost, const Episode& episode, bool orders_count) {
  const auto place = std::ranges::upper_bound(costs_, cost) - costs_.begin();
  if (static_cast<std::size_t>(place) >= most_) {
    return;
  }
  const auto is_same = [&](const Episode& other) {
    return PlacementOf(other) == PlacementOf(episode) &&
           (!orders_count || other.nodes == episode.nodes);
  };
  if (std::ranges::any_of(episodes_, is_same)) {
    return;
  }
  costs_.insert(costs_.begin() + place, cost);
  episodes_.insert(episodes_.begin() + place, episode);
  if (episodes_.size() > most_) {
    costs_.pop_back();
    episodes_.pop_back();
  }
}

void Elites::Clear() {
  costs_.clear();
  episodes_.clear();
}

}  // namespace opyard::agents::doppler
