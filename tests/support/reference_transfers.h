// The reference simulator's transfers: which wait, which move, and what they occupy.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/base/units.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/result/sim_result.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_flows.h"

namespace opyard::testing {

class ReferenceTransfers {
 public:
  ReferenceTransfers(const sim::HardwareProfile& hardware,
                     const std::vector<ReferenceCopy>& copies);

  void Offer(std::size_t copy, SimTime now);
  // Those that wait, in the order in which they are scanned.
  [[nodiscard]] std::vector<std::size_t> Waiting() const;
  // True if none of its channels carries another transfer or rests.
  [[nodiscard]] bool HasFreeChannels(std::size_t copy, SimTime now) const;
  // True if all copies that stand ahead of it in the orders of channels have begun.
  [[nodiscard]] bool HasTurn(std::size_t copy) const;
  // REQUIRES: it waits, and its channels are free.
  void Start(std::size_t copy, SimTime now);
  // Applies what happens to moving transfers at `now`, and returns those that end, in order.
  [[nodiscard]] std::vector<std::size_t> TakeEnded(SimTime now);
  // After everything else of an instant; an end may follow at the same instant.
  void ShareBandwidth(SimTime now) { flows_.ShareAnew(now); }
  // The next end of a latency, a transfer or a rest: not before `now`, rests after it.
  [[nodiscard]] std::optional<SimTime> NextInstant(SimTime now) const;

  // The run stops at `now`: a fair transfer under way has no other finish.
  void StopAt(SimTime now);

  // In order of their start.
  [[nodiscard]] const std::vector<sim::TransferSpan>& spans() const { return spans_; }
  // The channels that carried something, by name.
  [[nodiscard]] std::vector<sim::ChannelReport> Channels() const;
  // The time for which channels rest after each transfer.
  [[nodiscard]] SimTime gap() const;

 private:
  // Order of waiting transfers: −priority, offer time, producer, output, destination, consuming op,
  // input position; then the copy.
  using Key = std::tuple<std::int64_t,
                         SimTime,
                         std::int32_t,
                         std::int32_t,
                         DeviceId,
                         std::int32_t,
                         std::int32_t,
                         std::size_t>;
  struct Moving {
    Key key;
    std::size_t span = 0;  // in spans_
    SimTime until;         // its end; of a fair transfer, of its latency
    bool is_flow = false;
  };

  [[nodiscard]] bool IsFair() const;
  [[nodiscard]] SimTime TimeInUse(const std::string& channel) const;
  void StartFlows(SimTime now);
  void Release(const ReferenceCopy& copy, SimTime now);

  const sim::HardwareProfile& hardware_;
  const std::vector<ReferenceCopy>& copies_;
  ReferenceFlows flows_;
  std::set<Key> waiting_;
  std::vector<Moving> moving_;  // in order of their start
  std::set<std::string> busy_channels_;
  std::map<std::string, SimTime> rest_until_;
  std::map<std::string, sim::ChannelReport> channels_;
  std::vector<sim::TransferSpan> spans_;
  std::vector<std::size_t> copy_of_span_;
};

}  // namespace opyard::testing
