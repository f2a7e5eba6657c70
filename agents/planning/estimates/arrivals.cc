#include "agents/planning/estimates/arrivals.h"

namespace opyard::agents {

Arrivals::Arrivals(const env::Problem& problem, const TransferTimes& transfers, TransferRule rule)
    : graph_(problem.graph()), transfers_(transfers) {
  if (rule == TransferRule::kBooked) {
    booked_.emplace(problem, transfers);
  }
}

SimTime Arrivals::Of(TensorId tensor, const EndOfOp& end, DeviceId device) const {
  const Bytes bytes = graph_.tensor(tensor).bytes;
  const DeviceId source = end.device.value_or(device);
  return booked_.has_value() ? booked_->Arrival(tensor, bytes, end.time, source, device)
                             : end.time + transfers_.Time(bytes, source, device);
}

SimTime Arrivals::SoonestOf(TensorId tensor, const EndOfOp& end, DeviceId device) const {
  const Bytes bytes = graph_.tensor(tensor).bytes;
  const DeviceId source = end.device.value_or(device);
  return booked_.has_value() ? booked_->SoonestArrival(tensor, bytes, end.time, source, device)
                             : end.time + transfers_.Time(bytes, source, device);
}

SimTime Arrivals::OfControl(const EndOfOp& end, DeviceId device) const {
  return end.time + transfers_.ControlTime(end.device.value_or(device), device);
}

void Arrivals::Book(TensorId tensor, const EndOfOp& end, DeviceId device) {
  if (booked_.has_value()) {
    const Bytes bytes = graph_.tensor(tensor).bytes;
    booked_->Book(tensor, bytes, end.time, end.device.value_or(device), device);
  }
}

void Arrivals::Clear() {
  if (booked_.has_value()) {
    booked_->Clear();
  }
}

}  // namespace opyard::agents
