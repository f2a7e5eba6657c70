#include "env/device_runs.h"

#include <algorithm>

#include "sim/base/check.h"

namespace opyard::env {
namespace {

constexpr std::int64_t kNoWay = -1;
constexpr std::uint16_t kNoDevice = 0xFFFF;

// A table of the best sums up to a segment, by state, and of the devices of the segments before.
// A state is a set of devices that have been used and the last of them.
class RunTable {
 public:
  RunTable(std::size_t num_segments, std::size_t num_states)
      : num_states_(num_states),
        sums_(num_states, kNoWay),
        next_(num_states, kNoWay),
        before_(num_segments * num_states, kNoDevice) {}

  [[nodiscard]] std::int64_t sum(std::size_t state) const { return sums_[state]; }
  [[nodiscard]] std::uint16_t before(std::size_t segment, std::size_t state) const {
    return before_[segment * num_states_ + state];
  }

  // A way into `state` at `segment`, from the device `before`; the first of equal ones counts.
  void Offer(std::size_t segment, std::size_t state, std::int64_t sum, std::size_t before) {
    if (sum > next_[state]) {
      next_[state] = sum;
      before_[segment * num_states_ + state] = static_cast<std::uint16_t>(before);
    }
  }

  void EndSegment() {
    sums_.swap(next_);
    std::ranges::fill(next_, kNoWay);
  }

  // The state of the greatest sum, the least of several; nothing if there is no way.
  [[nodiscard]] std::optional<std::size_t> FindBest() const {
    const auto best = std::ranges::max_element(sums_);
    return *best == kNoWay ? std::nullopt
                           : std::optional(static_cast<std::size_t>(best - sums_.begin()));
  }

 private:
  std::size_t num_states_;
  std::vector<std::int64_t> sums_;  // by state
  std::vector<std::int64_t> next_;
  std::vector<std::uint16_t> before_;  // [segments, states]
};

// By device.
std::vector<std::int64_t> GainsOf(const Segment& segment, std::size_t num_devices) {
  std::vector<std::int64_t> gains(num_devices);
  for (const SegmentGain& gain : segment.gains) {
    gains[gain.device] = gain.gain;
  }
  return gains;
}

// Which devices were used, as bits, and the last one.
class ExactRuns {
 public:
  ExactRuns(std::span<const Segment> segments, std::size_t num_devices)
      : segments_(segments),
        num_devices_(num_devices),
        num_sets_(std::size_t{1} << num_devices),
        table_(segments.size(), num_sets_ * num_devices) {}

  std::optional<std::vector<std::size_t>> Find() {
    Begin();
    for (std::size_t i = 1; i < segments_.size(); ++i) {
      Continue(i);
    }
    const std::optional<std::size_t> best = table_.FindBest();
    return best.has_value() ? std::optional(Trace(*best)) : std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t State(std::size_t set, std::size_t device) const {
    return set * num_devices_ + device;
  }

  void Begin() {
    const std::vector<std::int64_t> gains = GainsOf(segments_[0], num_devices_);
    for (std::size_t device = 0; device < num_devices_; ++device) {
      if (segments_[0].may_run[device]) {
        table_.Offer(0, State(std::size_t{1} << device, device), gains[device], device);
      }
    }
    table_.EndSegment();
  }

  void Continue(std::size_t segment) {
    const std::vector<std::int64_t> gains = GainsOf(segments_[segment], num_devices_);
    const std::vector<bool>& may_run = segments_[segment].may_run;
    for (std::size_t set = 1; set < num_sets_; ++set) {
      for (std::size_t device = 0; device < num_devices_; ++device) {
        const std::int64_t sum = table_.sum(State(set, device));
        if (sum != kNoWay && may_run[device]) {
          table_.Offer(segment, State(set, device), sum + gains[device], device);
        }
      }
    }
    for (std::size_t set = 1; set < num_sets_; ++set) {
      for (std::size_t device = 0; device < num_devices_; ++device) {
        if (table_.sum(State(set, device)) != kNoWay) {
          OfferOthers(segment, set, device, gains);
        }
      }
    }
    table_.EndSegment();
  }

  void OfferOthers(std::size_t segment,
                   std::size_t set,
                   std::size_t device,
                   std::span<const std::int64_t> gains) {
    const std::int64_t sum = table_.sum(State(set, device));
    for (std::size_t next = 0; next < num_devices_; ++next) {
      const std::size_t bit = std::size_t{1} << next;
      if ((set & bit) == 0 && segments_[segment].may_run[next]) {
        table_.Offer(segment, State(set | bit, next), sum + gains[next], device);
      }
    }
  }

  [[nodiscard]] std::vector<std::size_t> Trace(std::size_t state) const {
    std::vector<std::size_t> devices(segments_.size());
    std::size_t set = state / num_devices_;
    std::size_t device = state % num_devices_;
    for (std::size_t segment = segments_.size(); segment-- > 0;) {
      devices[segment] = device;
      const std::size_t before = table_.before(segment, State(set, device));
      if (before != device) {
        set &= ~(std::size_t{1} << device);
        device = before;
      }
    }
    return devices;
  }

  std::span<const Segment> segments_;
  std::size_t num_devices_;
  std::size_t num_sets_;
  RunTable table_;
};

}  // namespace

std::optional<std::vector<std::size_t>> BestRuns(std::span<const Segment> segments,
                                                 std::size_t num_devices) {
  OPYARD_CHECK(!segments.empty() && num_devices <= kMostExactDevices, "few devices for all sets");
  return ExactRuns(segments, num_devices).Find();
}

std::optional<std::vector<std::size_t>> BestRunsInOrder(std::span<const Segment> segments,
                                                        std::size_t num_devices) {
  OPYARD_CHECK(!segments.empty() && num_devices < kNoDevice, "devices have numbers");
  RunTable table(segments.size(), num_devices);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::vector<std::int64_t> gains = GainsOf(segments[i], num_devices);
    std::size_t best_before = 0;  // of the devices before `device`
    for (std::size_t device = 0; device < num_devices; ++device) {
      const bool is_first = i == 0;
      if (segments[i].may_run[device] && (is_first || table.sum(device) != kNoWay)) {
        table.Offer(i, device, (is_first ? 0 : table.sum(device)) + gains[device], device);
      }
      if (segments[i].may_run[device] && device > 0 && table.sum(best_before) != kNoWay) {
        table.Offer(i, device, table.sum(best_before) + gains[device], best_before);
      }
      best_before = table.sum(device) > table.sum(best_before) ? device : best_before;
    }
    table.EndSegment();
  }
  std::optional<std::size_t> device = table.FindBest();
  if (!device.has_value()) {
    return std::nullopt;
  }
  std::vector<std::size_t> devices(segments.size());
  for (std::size_t i = segments.size(); i-- > 0;) {
    devices[i] = *device;
    device = table.before(i, *device);
  }
  return devices;
}

}  // namespace opyard::env
