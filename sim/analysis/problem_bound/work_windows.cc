#include "sim/analysis/problem_bound/work_windows.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace opyard::sim {
namespace {

// Devices whose heads and tails count one by one; the rest count as the last of these.
constexpr std::size_t kMostRanks = 16;

std::int64_t Clamped(Wide value) {
  return static_cast<std::int64_t>(
      std::min<Wide>(value, std::numeric_limits<std::int64_t>::max() / 4));
}

}  // namespace

WeightedDevices::WeightedDevices(std::vector<std::int64_t> weights) {
  std::ranges::sort(weights, std::greater());
  for (const std::int64_t weight : weights) {
    total_ += weight;
    if (weights_.size() < kMostRanks) {
      if (weight > 0) {
        weights_.push_back(weight);
      }
    } else {
      weights_.back() += weight;
    }
  }
}

// Items with one head or a later one, by descending tail.
class WeightedDevices::Sweep {
 public:
  explicit Sweep(const WeightedDevices& devices) : devices_(devices) {}

  // total · T of all items so far.
  Wide Add(const WorkItem& item) {
    work_ += item.work;
    ++num_items_;
    const std::size_t num_ranks = devices_.weights_.size();
    if (heads_.size() < num_ranks || item.head_ps < heads_.back()) {
      heads_.insert(std::ranges::upper_bound(heads_, item.head_ps), item.head_ps);
      heads_.resize(std::min(heads_.size(), num_ranks));
    }
    tails_.insert(tails_.begin(), item.tail_ps);
    tails_.resize(std::min(tails_.size(), num_ranks));
    if (num_items_ < 2 * num_ranks - 1) {
      return work_ + Wide{devices_.total_} * (heads_.front() + tails_.front());
    }
    Wide idle = 0;
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
      idle += Wide{devices_.weights_[rank]} * (heads_[rank] + tails_[rank]);
    }
    return work_ + idle;
  }

 private:
  const WeightedDevices& devices_;
  Wide work_ = 0;
  std::size_t num_items_ = 0;
  std::vector<std::int64_t> heads_;  // the least, ascending
  std::vector<std::int64_t> tails_;  // the same
};

std::int64_t WeightedDevices::Bound(std::vector<WorkItem> items, std::size_t most_heads) const {
  std::erase_if(items, [](const WorkItem& item) { return item.work == 0; });
  std::vector<std::int64_t> heads;
  for (const WorkItem& item : items) {
    heads.push_back(item.head_ps);
  }
  std::ranges::sort(heads);
  heads.erase(std::ranges::unique(heads).begin(), heads.end());
  std::ranges::sort(items, std::ranges::greater(), &WorkItem::tail_ps);
  Wide best = 0;
  const std::size_t num_heads = std::min(heads.size(), most_heads);
  for (std::size_t i = 0; i < num_heads; ++i) {
    const std::int64_t head_ps = heads[i * heads.size() / num_heads];
    Sweep sweep(*this);
    for (const WorkItem& item : items) {
      if (item.head_ps >= head_ps) {
        best = std::max(best, sweep.Add(item));
      }
    }
  }
  return total_ == 0 ? 0 : Clamped((best + total_ - 1) / total_);
}

std::int64_t OneDeviceBound(std::vector<OneDeviceOp> ops) {
  std::ranges::sort(ops, {}, &OneDeviceOp::head_ps);
  using Left = std::pair<std::int64_t, std::int64_t>;  // tail, time left
  std::priority_queue<Left> ready;
  std::int64_t now = 0;
  std::int64_t bound = 0;
  // Runs what is ready, the longest tail first, until `until`.
  const auto run = [&](std::int64_t until) {
    while (!ready.empty() && now < until) {
      const auto [tail, left] = ready.top();
      ready.pop();
      const std::int64_t slice = std::min(left, until - now);
      now += slice;
      if (slice < left) {
        ready.emplace(tail, left - slice);
      } else {
        bound = std::max(bound, now + tail);
      }
    }
    now = std::max(now, until);
  };
  for (const OneDeviceOp& op : ops) {
    run(op.head_ps);
    ready.emplace(op.tail_ps, op.time_ps);
  }
  while (!ready.empty()) {
    now += ready.top().second;
    bound = std::max(bound, now + ready.top().first);
    ready.pop();
  }
  return bound;
}

}  // namespace opyard::sim
