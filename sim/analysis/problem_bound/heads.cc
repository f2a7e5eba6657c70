#include "sim/analysis/problem_bound/heads.h"

#include <algorithm>
#include <cmath>

#include "sim/base/array_index.h"

namespace opyard::sim {
namespace {

// An op that another waits for, seen from the device of that other.
struct PossibleArrival {
  std::int64_t start_ps = 0;   // of the op, if it runs there
  std::int64_t time_ps = 0;    // there
  std::int64_t remote_ps = 0;  // the arrival of its output, if it runs elsewhere
};

// The earliest instant at which all have ended or arrived, whichever run on the device itself,
// one at a time or not. Those that arrive last run there: O(n log n).
class LastArrival {
 public:
  explicit LastArrival(bool one_op_at_a_time) : one_op_at_a_time_(one_op_at_a_time) {}

  std::int64_t Find(std::vector<PossibleArrival>& arrivals) {
    if (!one_op_at_a_time_ || arrivals.size() == 1) {
      std::int64_t last = 0;
      for (const PossibleArrival& arrival : arrivals) {
        last = std::max(last, std::min(arrival.start_ps + arrival.time_ps, arrival.remote_ps));
      }
      return last;
    }
    std::ranges::sort(arrivals, std::ranges::greater(), &PossibleArrival::remote_ps);
    // The least number of ops on the device with which no other arrives later than they end.
    std::size_t low = 0;
    std::size_t high = arrivals.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (LocalEnd(arrivals, middle) >= arrivals[middle].remote_ps) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const std::int64_t ended = LocalEnd(arrivals, low);
    return low == 0 ? std::max(ended, arrivals[0].remote_ps)
                    : std::min(ended, arrivals[low - 1].remote_ps);
  }

 private:
  // The end of the first `num_local` ops on one device.
  std::int64_t LocalEnd(const std::vector<PossibleArrival>& arrivals, std::size_t num_local) {
    local_.assign(arrivals.begin(), arrivals.begin() + static_cast<std::ptrdiff_t>(num_local));
    std::ranges::sort(local_, std::ranges::greater(), &PossibleArrival::start_ps);
    std::int64_t end = 0;
    std::int64_t sum = 0;
    for (const PossibleArrival& arrival : local_) {
      sum = std::min(sum + arrival.time_ps, kNoTime);
      end = std::max(end, std::min(arrival.start_ps + sum, kNoTime));
    }
    return end;
  }

  bool one_op_at_a_time_;
  std::vector<PossibleArrival> local_;
};

// Visits ops in the order of dependencies.
class HeadSearch {
 public:
  HeadSearch(const Dependencies& dependencies,
             const OpTimes& times,
             const TransferTimes& transfers,
             const HeadRules& rules)
      : dependencies_(dependencies),
        times_(times),
        transfers_(transfers),
        rules_(rules),
        starts_(times.time_ps.size(), kNoTime),
        last_arrival_(rules.one_op_at_a_time) {}

  std::vector<std::int64_t> Find() {
    const std::size_t num_ops = times_.num_ops();
    // Every op of a small graph, a few of a large one: num_sampled² · num_ops visits.
    const auto num_sampled = static_cast<std::size_t>(
        std::max(2.0, std::sqrt(kMostVisits / static_cast<double>(num_ops))));
    const std::size_t step = std::max<std::size_t>(1, num_ops / num_sampled);
    for (std::size_t i = 0; i < num_ops; ++i) {
      const std::size_t op = At(dependencies_.order[i]);
      std::int64_t least = rules_.ready_ps.empty() ? 0 : rules_.ready_ps[op];
      if (rules_.one_op_at_a_time && i % step == step - 1) {
        least = std::max(least, EndOfAllBefore(i, num_sampled));
      }
      for (std::size_t k = 0; k < times_.num_classes(); ++k) {
        if (times_.time(op, k) < kNoTime) {
          starts_[op * times_.num_classes() + k] = std::max(least, ArrivalOfInputs(op, k));
        }
      }
    }
    return std::move(starts_);
  }

 private:
  static constexpr double kMostVisits = 3e6;  // of ops, by sweeps over what others wait for

  [[nodiscard]] std::int64_t start(std::size_t op, std::size_t k) const {
    return starts_[op * times_.num_classes() + k];
  }

  std::int64_t ArrivalOfInputs(std::size_t op, std::size_t k) {
    arrivals_.clear();
    for (const Dependency& before : dependencies_.of(op)) {
      const std::size_t other = At(before.op);
      const bool are_together = rules_.label[op] >= 0 && rules_.label[op] == rules_.label[other];
      arrivals_.push_back({.start_ps = start(other, k),
                           .time_ps = times_.time(other, k),
                           .remote_ps = are_together ? kNoTime : RemoteArrival(before, k)});
    }
    return arrivals_.empty() ? 0 : std::min(last_arrival_.Find(arrivals_), kNoTime);
  }

  [[nodiscard]] std::int64_t RemoteArrival(const Dependency& before, std::size_t k) const {
    std::int64_t least = kNoTime;
    for (std::size_t other = 0; other < times_.num_classes(); ++other) {
      const std::size_t op = At(before.op);
      const std::int64_t end = start(op, other) + times_.time(op, other);
      if (end < kNoTime) {
        const std::int64_t moving = rules_.is_reversed ? transfers_.Time(k, other, before.bytes)
                                                       : transfers_.Time(other, k, before.bytes);
        least = std::min(least, end + moving);
      }
    }
    return least;
  }

  // The end of all ops that the one at `position` waits for, directly or not, as far as their work
  // says.
  std::int64_t EndOfAllBefore(std::size_t position, std::size_t most_heads) {
    path_.assign(times_.num_ops(), -1);  // from the end of each to the start of the last
    path_[At(dependencies_.order[position])] = 0;
    std::vector<WorkItem> items;
    for (std::size_t i = position + 1; i-- > 0;) {
      const std::size_t op = At(dependencies_.order[i]);
      if (path_[op] < 0) {
        continue;
      }
      const std::int64_t here = i == position ? 0 : path_[op] + times_.least_ps[op];
      for (const Dependency& before : dependencies_.of(op)) {
        path_[At(before.op)] = std::max(path_[At(before.op)], here);
      }
      if (i < position) {
        items.push_back({.head_ps = LeastStart(op),
                         .tail_ps = path_[op],
                         .work = LeastWork(times_, rules_.weights, op)});
      }
    }
    return WeightedDevices(EachDevice(times_, rules_.weights)).Bound(std::move(items), most_heads);
  }

  [[nodiscard]] std::int64_t LeastStart(std::size_t op) const {
    std::int64_t least = kNoTime;
    for (std::size_t k = 0; k < times_.num_classes(); ++k) {
      least = std::min(least, start(op, k));
    }
    return least;
  }

  const Dependencies& dependencies_;
  const OpTimes& times_;
  const TransferTimes& transfers_;
  const HeadRules& rules_;
  std::vector<std::int64_t> starts_;
  LastArrival last_arrival_;
  std::vector<PossibleArrival> arrivals_;
  std::vector<std::int64_t> path_;
};

}  // namespace

std::vector<std::int64_t> EarliestStarts(const Dependencies& dependencies,
                                         const OpTimes& times,
                                         const TransferTimes& transfers,
                                         const HeadRules& rules) {
  return HeadSearch(dependencies, times, transfers, rules).Find();
}

std::vector<std::int64_t> EachDevice(const OpTimes& times,
                                     const std::vector<std::int64_t>& weights) {
  std::vector<std::int64_t> of_devices;
  for (std::size_t k = 0; k < times.num_classes(); ++k) {
    of_devices.insert(of_devices.end(), times.classes[k].size(), weights[k]);
  }
  return of_devices;
}

Wide LeastWork(const OpTimes& times, const std::vector<std::int64_t>& weights, std::size_t op) {
  Wide least = -1;
  for (std::size_t k = 0; k < times.num_classes(); ++k) {
    if (times.time(op, k) < kNoTime) {
      const Wide work = Wide{weights[k]} * times.time(op, k);
      least = least < 0 ? work : std::min(least, work);
    }
  }
  return std::max<Wide>(least, 0);
}

}  // namespace opyard::sim
