#include "agents/planning/booked_channels.h"

#include "sim/hardware/channel_map.h"

namespace opyard::agents {

BookedChannels::BookedChannels(const env::Problem& problem, const TransferTimes& transfers)
    : transfers_(transfers),
      num_devices_(problem.hardware().num_devices()),
      channels_(num_devices_ * num_devices_) {
  sim::ChannelMap map(problem.hardware());
  for (std::size_t slot = 0; slot < channels_.size(); ++slot) {
    const DeviceId src(slot / num_devices_);
    const DeviceId dst(slot % num_devices_);
    if (const sim::Route* route = problem.routes().Find(src, dst); route != nullptr) {
      channels_[slot] = map.Occupied(*route, src, dst);
    }
  }
  timelines_.resize(map.names().size());
}

SimTime BookedChannels::EarliestStart(const std::vector<std::int32_t>& channels,
                                      SimTime ready,
                                      SimTime duration) const {
  SimTime start = ready;
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (const std::int32_t channel : channels) {
      const SimTime free =
          timelines_[static_cast<std::size_t>(channel)].EarliestInsertion(start, duration);
      has_moved = has_moved || free > start;
      start = free;
    }
  }
  return start;
}

SimTime BookedChannels::Arrival(
    TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst) const {
  if (src == dst) {
    return ready;
  }
  if (const auto it = arrivals_.find(KeyOf(tensor, dst)); it != arrivals_.end()) {
    return it->second;
  }
  const SimTime duration = transfers_.Time(bytes, src, dst);
  return EarliestStart(ChannelsOf(src, dst), ready, duration) + duration;
}

void BookedChannels::Book(TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst) {
  if (src == dst || arrivals_.contains(KeyOf(tensor, dst))) {
    return;
  }
  const SimTime duration = transfers_.Time(bytes, src, dst);
  const SimTime start = EarliestStart(ChannelsOf(src, dst), ready, duration);
  for (const std::int32_t channel : ChannelsOf(src, dst)) {
    timelines_[static_cast<std::size_t>(channel)].Occupy(start, duration);
  }
  arrivals_.emplace(KeyOf(tensor, dst), start + duration);
}

}  // namespace opyard::agents
