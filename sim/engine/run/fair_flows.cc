#include "sim/engine/run/fair_flows.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/base/array_index.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/engine/queues/select.h"

namespace opyard::sim {
namespace {

constexpr auto kInfinityBits =
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());

// The channels of a route.
std::span<const std::int32_t> ChannelsOf(const LoweredProblem& problem, std::size_t pair) {
  const LoweredRoute& route = problem.routes[pair];
  return {problem.route_channels.data() + route.first_channel, At(route.num_channels)};
}

}  // namespace

void FairFlows::Reset(const LoweredProblem& problem, std::span<const std::int32_t> flows_of_pair) {
  problem_ = &problem;
  base_ps_ = 0;
  is_stale_ = false;
  num_started_ = 0;
  pairs_.assign(problem.routes.size(), {});
  active_.clear();
  active_.reserve(problem.routes.size());
  unfixed_.resize(problem.pair_words);
  next_end_ps_ = kNever;
  share_.resize(problem.channel_names.size());
  free_bandwidth_.resize(problem.channel_names.size());
  num_unfixed_.resize(problem.channel_names.size());
  flows_.Reserve(flows_of_pair.size(), problem.unfused.num_uses);
  flows_.Reset(flows_of_pair);
}

void FairFlows::Start(std::size_t pair,
                      std::int32_t slot,
                      std::int64_t bytes,
                      std::int64_t now_ps) {
  MoveTo(now_ps);
  Pair& p = pairs_[pair];
  if (p.num_flows++ == 0) {
    p.moved = 0.0;
    p.rate = 0.0;
    active_.insert(std::ranges::lower_bound(active_, pair), pair);
  }
  Flow flow;
  flow.slot = slot;
  flow.end_mark = p.moved + static_cast<double>(bytes);
  // Marks are positive, so their bits order as they do.
  flow.key = {std::bit_cast<std::uint64_t>(flow.end_mark), num_started_++};
  flows_.Push(pair, flow);
  is_stale_ = true;
}

std::int64_t FairFlows::NextEnd(std::int64_t now_ps) {
  if (is_stale_) {
    MoveTo(now_ps);
    ShareLinks();
    is_stale_ = false;
  }
  return next_end_ps_;
}

std::optional<std::int32_t> FairFlows::PopEnded(std::int64_t now_ps) {
  if (next_end_ps_ != now_ps) {
    return std::nullopt;
  }
  const auto ended = std::ranges::find_if(
      active_, [&](std::size_t pair) { return pairs_[pair].end_ps == now_ps; });
  if (ended == active_.end()) {
    return std::nullopt;
  }
  const std::size_t pair = *ended;
  const std::int32_t slot = flows_.Pop(pair).slot;
  is_stale_ = true;
  if (--pairs_[pair].num_flows == 0) {
    pairs_[pair].end_ps = kNever;
    active_.erase(ended);
  } else {
    pairs_[pair].end_ps = EndOfFirst(pair);
  }
  return slot;
}

void FairFlows::MoveTo(std::int64_t now_ps) {
  const double seconds = static_cast<double>(now_ps - base_ps_) / 1e12;
  for (const std::size_t pair : active_) {
    Pair& p = pairs_[pair];
    p.moved = std::min(p.moved + p.rate * seconds, flows_.top(pair).end_mark);
  }
  base_ps_ = now_ps;
}

std::int64_t FairFlows::EndOfFirst(std::size_t pair) const {
  const Pair& p = pairs_[pair];
  const double left = flows_.top(pair).end_mark - p.moved;
  return base_ps_ + SimTime::FromSeconds(left / p.rate).picoseconds;
}

// Progressive filling (Bertsekas and Gallager, Data Networks, 1992, 6.5.2): all rates grow
// together; the link that fills first fixes the rates of the flows through it, and so on with the
// rest.
void FairFlows::ShareLinks() {
  free_bandwidth_ = problem_->channel_bandwidth;
  std::ranges::fill(num_unfixed_, 0);
  for (const std::size_t pair : active_) {
    for (const std::int32_t channel : ChannelsOf(*problem_, pair)) {
      num_unfixed_[At(channel)] += pairs_[pair].num_flows;
    }
  }
  if (!FixLonePairs()) {
    FillProgressively();
  }
  next_end_ps_ = kNever;
  for (const std::size_t pair : active_) {
    pairs_[pair].end_ps = EndOfFirst(pair);
    next_end_ps_ = std::min(next_end_ps_, pairs_[pair].end_ps);
  }
}

bool FairFlows::FixLonePairs() {
  for (const std::size_t pair : active_) {
    Pair& p = pairs_[pair];
    double least = std::numeric_limits<double>::infinity();
    for (const std::int32_t channel : ChannelsOf(*problem_, pair)) {
      if (num_unfixed_[At(channel)] != p.num_flows) {
        return false;
      }
      least = std::min(least, free_bandwidth_[At(channel)]);
    }
    p.rate = least / p.num_flows;
  }
  return true;
}

void FairFlows::FillProgressively() {
  std::ranges::fill(unfixed_, 0);
  for (const std::size_t pair : active_) {
    InsertBit(BitWords<std::dynamic_extent>(unfixed_), pair);
  }
  for (std::size_t link = 0; link < share_.size(); ++link) {
    UpdateShare(link);
  }
  double level = 0.0;  // rates only grow: rounding must not take one below those fixed before
  while (!IsEmpty(ConstBitWords<std::dynamic_extent>(unfixed_))) {
    const std::size_t link = FindTightestLink();
    level = std::max(level, share_[link]);
    FixPairsThrough(link, level);
  }
}

// Without a branch: whether a link still has flows to share it is a coin toss.
void FairFlows::UpdateShare(std::size_t link) {
  const std::int32_t num_flows = num_unfixed_[link];
  const double share = free_bandwidth_[link] / std::max(num_flows, 1);
  share_[link] = std::bit_cast<double>(
      Select(num_flows == 0, kInfinityBits, std::bit_cast<std::uint64_t>(share)));
}

std::size_t FairFlows::FindTightestLink() const {
  return static_cast<std::size_t>(std::ranges::min_element(share_) - share_.begin());
}

void FairFlows::FixPairsThrough(std::size_t link, double rate) {
  const std::uint64_t* through = problem_->pairs_through.data() + link * unfixed_.size();
  for (std::size_t word = 0; word < unfixed_.size(); ++word) {
    std::uint64_t fixed = unfixed_[word] & through[word];
    unfixed_[word] &= ~fixed;
    for (; fixed != 0; fixed &= fixed - 1) {
      FixPair(word * 64 + static_cast<std::size_t>(std::countr_zero(fixed)), rate);
    }
  }
}

void FairFlows::FixPair(std::size_t pair, double rate) {
  Pair& fixed = pairs_[pair];
  fixed.rate = rate;
  for (const std::int32_t channel : ChannelsOf(*problem_, pair)) {
    num_unfixed_[At(channel)] -= fixed.num_flows;
    free_bandwidth_[At(channel)] -= rate * fixed.num_flows;
    UpdateShare(At(channel));
  }
}

}  // namespace opyard::sim
