#include "agents/planning/estimates/booked_channels.h"

#include <algorithm>
#include <limits>

#include <boost/container/small_vector.hpp>

#include "sim/base/array_index.h"
#include "sim/hardware/channel_map.h"

namespace opyard::agents {
namespace {

constexpr std::size_t kUsualChannels = 8;  // of a route
constexpr SimTime kNotBooked{std::numeric_limits<std::int64_t>::max()};

}  // namespace

BookedChannels::BookedChannels(const env::Problem& problem, const TransferTimes& transfers)
    : transfers_(transfers),
      num_devices_(problem.hardware().num_devices()),
      channels_(num_devices_ * num_devices_),
      arrivals_(problem.graph().num_tensors() * num_devices_, kNotBooked) {
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
  boost::container::small_vector<DeviceTimeline::Place, kUsualChannels> places;
  for (const std::int32_t channel : channels) {
    places.push_back(timelines_[At(channel)].PlaceOf(ready));
  }
  SimTime start = ready;
  // In turn until all of them in a row have room at `start`.
  std::size_t num_agreed = 0;
  for (std::size_t i = 0; num_agreed < channels.size(); i = i + 1 < channels.size() ? i + 1 : 0) {
    const DeviceTimeline& timeline = timelines_[At(channels[i])];
    const SimTime free = timeline.EarliestInsertion(start, duration, places[i]);
    num_agreed = free > start ? 1 : num_agreed + 1;
    start = free;
  }
  return start;
}

SimTime BookedChannels::Arrival(
    TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst) const {
  if (src == dst) {
    return ready;
  }
  if (const SimTime booked = arrivals_[SlotOf(tensor, dst)]; booked != kNotBooked) {
    return booked;
  }
  const SimTime duration = transfers_.Time(bytes, src, dst);
  return EarliestStart(ChannelsOf(src, dst), ready, duration) + duration;
}

SimTime BookedChannels::SoonestArrival(
    TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst) const {
  if (src == dst) {
    return ready;
  }
  const SimTime booked = arrivals_[SlotOf(tensor, dst)];
  return booked != kNotBooked ? booked : ready + transfers_.Time(bytes, src, dst);
}

void BookedChannels::Book(TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst) {
  SimTime& arrival = arrivals_[SlotOf(tensor, dst)];
  if (src == dst || arrival != kNotBooked) {
    return;
  }
  const SimTime duration = transfers_.Time(bytes, src, dst);
  const SimTime start = EarliestStart(ChannelsOf(src, dst), ready, duration);
  for (const std::int32_t channel : ChannelsOf(src, dst)) {
    timelines_[At(channel)].Occupy(start, duration);
  }
  arrival = start + duration;
}

void BookedChannels::Clear() {
  std::ranges::fill(arrivals_, kNotBooked);
  for (DeviceTimeline& timeline : timelines_) {
    timeline.Clear();
  }
}

}  // namespace opyard::agents
