// When what ops of a schedule under construction have made is on other devices.
#pragma once

#include <algorithm>
#include <optional>

#include "agents/planning/estimates/booked_channels.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// The transfers that a transfer waits for: none, as in the published list schedulers, or those that
// were booked before it on the channels of its route (BookedChannels).
enum class TransferRule { kAlone, kBooked };

// When and where an op of a schedule ended. One without a place is wherever it is read.
struct EndOfOp {
  SimTime time;
  std::optional<DeviceId> device;
};

class Arrivals {
 public:
  Arrivals(const env::Problem& problem, const TransferTimes& transfers, TransferRule rule);

  // When `tensor`, whose producer ended so, could be on `device`. Never earlier after a booking.
  [[nodiscard]] SimTime Of(TensorId tensor, const EndOfOp& end, DeviceId device) const;
  // The time without any other transfer in its way: never later than Of, and equal to it where
  // transfers wait for nothing.
  [[nodiscard]] SimTime SoonestOf(TensorId tensor, const EndOfOp& end, DeviceId device) const;
  // When `device` could know that the op ended.
  [[nodiscard]] SimTime OfControl(const EndOfOp& end, DeviceId device) const;
  // Makes later transfers wait for this one, if any do.
  void Book(TensorId tensor, const EndOfOp& end, DeviceId device);
  // Forgets all bookings.
  void Clear();

 private:
  const sim::OpGraph& graph_;
  const TransferTimes& transfers_;
  std::optional<BookedChannels> booked_;
};

// When `op` could be ready on `device`: all inputs there, and its release over. `find_end(op)`
// gives std::optional<EndOfOp>; an op that it does not know delays nothing.
template <class FindEnd>
[[nodiscard]] SimTime ReadyTime(const sim::OpGraph& graph,
                                const Arrivals& arrivals,
                                OpId op,
                                DeviceId device,
                                const FindEnd& find_end) {
  SimTime ready = graph.op(op).release;
  for (const TensorId input : graph.inputs(op)) {
    if (const std::optional<EndOfOp> end = find_end(graph.tensor(input).producer)) {
      ready = std::max(ready, arrivals.Of(input, *end, device));
    }
  }
  for (const OpId before : graph.control_inputs(op)) {
    if (const std::optional<EndOfOp> end = find_end(before)) {
      ready = std::max(ready, arrivals.OfControl(*end, device));
    }
  }
  return ready;
}

// Books the transfers of the inputs of `op` to `device`.
template <class FindEnd>
void BookInputs(const sim::OpGraph& graph,
                Arrivals& arrivals,
                OpId op,
                DeviceId device,
                const FindEnd& find_end) {
  for (const TensorId input : graph.inputs(op)) {
    if (const std::optional<EndOfOp> end = find_end(graph.tensor(input).producer)) {
      arrivals.Book(input, *end, device);
    }
  }
}

}  // namespace opyard::agents
