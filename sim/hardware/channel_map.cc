#include "sim/hardware/channel_map.h"

#include <algorithm>

namespace opyard::sim {

std::int32_t ChannelMap::Number(const std::string& name, double bandwidth_bytes_per_s) {
  const auto [entry, is_new] = numbers_.try_emplace(name, static_cast<std::int32_t>(names_.size()));
  if (is_new) {
    names_.push_back(name);
    bandwidths_.push_back(bandwidth_bytes_per_s);
  }
  return entry->second;
}

std::vector<std::int32_t> ChannelMap::Occupied(const Route& route, DeviceId src, DeviceId dst) {
  std::vector<std::int32_t> channels;
  ChannelKinds kinds = hardware_.transfers.channels;
  if (hardware_.transfers.sharing == Sharing::kFair) {
    kinds = {.links = true, .egress = false, .ingress = false, .pair = false};
  } else if (hardware_.transfers.sharing == Sharing::kNone || hardware_.rules == Rules::kRegal) {
    return channels;
  }
  const std::string& from = hardware_.devices[src.index()].name;
  const std::string& to = hardware_.devices[dst.index()].name;
  if (kinds.links) {
    for (const LinkDirection& hop : route.hops) {
      const Link& link = hardware_.links[static_cast<std::size_t>(hop.link)];
      const char* direction = hop.is_reversed ? "<" : ">";
      channels.push_back(Number(link.duplex == Duplex::kHalf ? link.name : link.name + direction,
                                link.bandwidth_bytes_per_s));
    }
  }
  if (kinds.egress) {
    channels.push_back(Number("egress:" + from));
  }
  if (kinds.ingress) {
    channels.push_back(Number("ingress:" + to));
  }
  if (kinds.pair) {
    channels.push_back(Number("pair:" + from + ">" + to));
  }
  std::ranges::sort(channels);
  channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
  return channels;
}

}  // namespace opyard::sim
