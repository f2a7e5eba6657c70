#include "agents/search/brkga/decoder.h"

#include <algorithm>
#include <cmath>

#include "env/action_codec.h"

namespace opyard::agents {

KeyDecoder::KeyDecoder(const env::Problem& problem)
    : problem_(problem),
      num_devices_(problem.hardware().num_devices()),
      num_affinities_(problem.tasks().placement ? NumGroups(problem) * num_devices_ : 0),
      num_priorities_(problem.tasks().scheduling ? NumGroups(problem) : 0),
      num_fusions_(problem.tasks().fusion ? NumGroups(problem) : 0) {}

Decisions KeyDecoder::Decode(std::span<const float> keys) const {
  Decisions decisions;
  for (std::size_t first = 0; first < num_affinities_; first += num_devices_) {
    const auto affinity = keys.subspan(first, num_devices_);
    const auto group = static_cast<std::int32_t>(first / num_devices_);
    decisions.device_of_group.push_back(
        *std::ranges::max_element(problem_.AllowedDevices(group), {}, [&](DeviceId device) {
          return affinity[device.index()];
        }));
  }
  const auto priorities = keys.subspan(num_affinities_, num_priorities_);
  decisions.priority_of_group =
      env::RanksOf(std::vector<double>(priorities.begin(), priorities.end()));
  for (const float key : keys.last(num_fusions_)) {
    decisions.fusion_of_group.push_back(static_cast<std::int32_t>(key * kNumFusionLevels));
  }
  return decisions;
}

Chromosome KeyDecoder::Encode(const Decisions& decisions, Rng& rng) const {
  Chromosome keys = RandomChromosome(num_keys(), rng);
  for (std::size_t i = 0; i < num_affinities_; ++i) {
    const bool is_chosen = decisions.device_of_group[i / num_devices_].index() == i % num_devices_;
    keys[i] = keys[i] * 0.5F + (is_chosen ? 0.5F : 0.0F);
  }
  if (num_priorities_ > 0) {
    const auto& priority = decisions.priority_of_group;
    const auto [least, most] = std::ranges::minmax(priority);
    const auto range = static_cast<float>(most - least + 1);
    for (std::size_t i = 0; i < num_priorities_; ++i) {
      float& key = keys[num_affinities_ + i];
      const float scaled = (static_cast<float>(priority[i] - least) + key) / range;
      key = std::min(scaled, std::nextafter(1.0F, 0.0F));
    }
  }
  for (std::size_t i = 0; i < num_fusions_; ++i) {
    // The middle half of the level's keys, so that rounding cannot leave it.
    float& key = keys[num_affinities_ + num_priorities_ + i];
    key = (static_cast<float>(decisions.fusion_of_group[i]) + 0.25F + key * 0.5F) /
          static_cast<float>(kNumFusionLevels);
  }
  return keys;
}

}  // namespace opyard::agents
