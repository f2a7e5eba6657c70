#include "tests/support/reference_transfers.h"

#include <algorithm>

namespace opyard::testing {

ReferenceTransfers::ReferenceTransfers(const sim::HardwareProfile& hardware,
                                       const std::vector<ReferenceCopy>& copies)
    : hardware_(hardware), copies_(copies), flows_(FairCapacities(hardware)) {}

bool ReferenceTransfers::IsFair() const {
  return hardware_.transfers.sharing == sim::Sharing::kFair &&
         hardware_.rules != sim::Rules::kRegal;
}

SimTime ReferenceTransfers::gap() const {
  const bool has_channels =
      hardware_.transfers.sharing == sim::Sharing::kSerial && hardware_.rules != sim::Rules::kRegal;
  return has_channels ? hardware_.transfers.gap_after : SimTime{};
}

void ReferenceTransfers::Offer(std::size_t copy, SimTime now) {
  const ReferenceCopy& offered = copies_[copy];
  waiting_.insert({-offered.priority,
                   now,
                   offered.producer_index,
                   offered.output_index,
                   offered.dst,
                   offered.consumer_index,
                   offered.edge ? offered.edge->second : 0,
                   copy});
}

std::vector<std::size_t> ReferenceTransfers::Waiting() const {
  std::vector<std::size_t> in_order;
  for (const Key& key : waiting_) {
    in_order.push_back(std::get<std::size_t>(key));
  }
  return in_order;
}

bool ReferenceTransfers::HasFreeChannels(std::size_t copy, SimTime now) const {
  return IsFair() || std::ranges::none_of(copies_[copy].channels, [&](const std::string& channel) {
           const auto rest = rest_until_.find(channel);
           return busy_channels_.contains(channel) ||
                  (rest != rest_until_.end() && rest->second > now);
         });
}

bool ReferenceTransfers::HasTurn(std::size_t copy) const {
  return std::ranges::all_of(copies_[copy].behind, [&](const auto& ahead) {
    return std::ranges::any_of(spans_, [&](const sim::TransferSpan& span) {
      return std::pair(span.tensor, span.dst) == ahead;
    });
  });
}

void ReferenceTransfers::Start(std::size_t copy, SimTime now) {
  const auto found = std::ranges::find_if(
      waiting_, [&](const Key& key) { return std::get<std::size_t>(key) == copy; });
  const ReferenceCopy& started = copies_[copy];
  const SimTime until = now + (IsFair() ? started.latency : started.duration);
  moving_.push_back({.key = *found, .span = spans_.size(), .until = until});
  copy_of_span_.push_back(copy);
  spans_.push_back({.tensor = started.tensor,
                    .src = started.src,
                    .dst = started.dst,
                    .offered = std::get<SimTime>(*found),
                    .start = now,
                    .finish = until,
                    .priority = started.priority});
  for (const std::string& name : started.channels) {
    busy_channels_.insert(name);
    sim::ChannelReport& channel = channels_[name];
    channel.name = name;
    channel.busy += started.duration;
    channel.bytes += started.bytes;
  }
  waiting_.erase(found);
}

// Fair transfers whose latency is over and that have bytes become flows.
void ReferenceTransfers::StartFlows(SimTime now) {
  for (Moving& transfer : moving_) {
    const ReferenceCopy& copy = copies_[std::get<std::size_t>(transfer.key)];
    if (!transfer.is_flow && transfer.until == now && copy.bytes > Bytes{0}) {
      transfer.is_flow = true;
      flows_.Start(copy.id, copy.channels, copy.bytes, now);
    }
  }
}

std::vector<std::size_t> ReferenceTransfers::TakeEnded(SimTime now) {
  const std::vector<std::size_t> ended_flows = flows_.TakeEnded(now);
  if (IsFair()) {
    StartFlows(now);
  }
  std::set<Key> ended;
  std::erase_if(moving_, [&](const Moving& transfer) {
    const std::size_t copy = std::get<std::size_t>(transfer.key);
    const bool is_over =
        transfer.is_flow ? std::ranges::count(ended_flows, copy) > 0 : transfer.until == now;
    if (is_over) {
      spans_[transfer.span].finish = now;
      ended.insert(transfer.key);
    }
    return is_over;
  });
  std::vector<std::size_t> in_order;
  for (const Key& key : ended) {
    in_order.push_back(std::get<std::size_t>(key));
    Release(copies_[in_order.back()], now);
  }
  return in_order;
}

void ReferenceTransfers::Release(const ReferenceCopy& copy, SimTime now) {
  for (const std::string& channel : copy.channels) {
    busy_channels_.erase(channel);
    rest_until_[channel] = now + gap();
  }
}

std::optional<SimTime> ReferenceTransfers::NextInstant(SimTime now) const {
  std::set<SimTime> instants;
  for (const Moving& transfer : moving_) {
    if (!transfer.is_flow) {
      instants.insert(transfer.until);
    }
  }
  for (const auto& [channel, until] : rest_until_) {
    if (until > now) {
      instants.insert(until);
    }
  }
  if (const std::optional<SimTime> end = flows_.NextEnd()) {
    instants.insert(*end);
  }
  return instants.empty() ? std::nullopt : std::optional(*instants.begin());
}

void ReferenceTransfers::StopAt(SimTime now) {
  for (const Moving& transfer : moving_) {
    if (IsFair()) {
      spans_[transfer.span].finish = now;
    }
  }
}

// The time for which at least one transfer over `channel` was under way, latency included.
SimTime ReferenceTransfers::TimeInUse(const std::string& channel) const {
  SimTime in_use;
  SimTime counted_to;
  for (std::size_t i = 0; i < spans_.size(); ++i) {  // in order of their start
    const SimTime start = std::max(spans_[i].start, counted_to);
    if (copies_[copy_of_span_[i]].channels.contains(channel) && spans_[i].finish > start) {
      in_use += spans_[i].finish - start;
      counted_to = spans_[i].finish;
    }
  }
  return in_use;
}

std::vector<sim::ChannelReport> ReferenceTransfers::Channels() const {
  std::vector<sim::ChannelReport> reports;
  for (const auto& [name, channel] : channels_) {
    reports.push_back(channel);
    if (IsFair()) {
      reports.back().busy = TimeInUse(name);
    }
  }
  return reports;
}

}  // namespace opyard::testing
