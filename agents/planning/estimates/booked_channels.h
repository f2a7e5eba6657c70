// The transfers of a schedule under construction, in turn on the channels of their routes.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/planning/estimates/device_timeline.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// A transfer takes all channels of its route at once, in the earliest gap that they share; a tensor
// travels to a device once. Where the machine shares channels fairly, the whole takes as long as in
// turn; where nothing is contended, no channel is ever busy.
class BookedChannels {
 public:
  BookedChannels(const env::Problem& problem, const TransferTimes& transfers);

  // When `tensor`, made on `src` at `ready`, is on `dst`: as booked, else if it were booked now.
  [[nodiscard]] SimTime Arrival(
      TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst) const;
  // The arrival over channels that are idle from `ready` on: never later than Arrival.
  [[nodiscard]] SimTime SoonestArrival(
      TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst) const;
  // Books it unless it is. Nothing for src == dst.
  void Book(TensorId tensor, Bytes bytes, SimTime ready, DeviceId src, DeviceId dst);
  // Forgets all bookings.
  void Clear();

 private:
  [[nodiscard]] std::size_t SlotOf(TensorId tensor, DeviceId dst) const {
    return tensor.index() * num_devices_ + dst.index();
  }
  [[nodiscard]] const std::vector<std::int32_t>& ChannelsOf(DeviceId src, DeviceId dst) const {
    return channels_[src.index() * num_devices_ + dst.index()];
  }
  [[nodiscard]] SimTime EarliestStart(const std::vector<std::int32_t>& channels,
                                      SimTime ready,
                                      SimTime duration) const;

  const TransferTimes& transfers_;
  std::size_t num_devices_;
  std::vector<std::vector<std::int32_t>> channels_;  // [num_devices, num_devices] row-major
  std::vector<DeviceTimeline> timelines_;            // by channel
  std::vector<SimTime> arrivals_;  // [num_tensors, num_devices] row-major; as booked
};

}  // namespace opyard::agents
