#include "agents/planning/initial_plans/contiguous_blocks.h"

#include <algorithm>
#include <compare>
#include <ranges>

namespace opyard::agents {
namespace {

// Less is better.
struct BlockCost {
  double times_over_room = 0.0;  // 0 if it fits
  double seconds = 0.0;
  friend auto operator<=>(const BlockCost&, const BlockCost&) = default;
};

class BlockCutter {
 public:
  BlockCutter(std::span<const StageLoad> stages, std::span<const BlockDevice> devices)
      : devices_(devices), sums_(1) {
    for (const StageLoad& stage : stages) {
      sums_.push_back({.seconds = sums_.back().seconds + stage.seconds,
                       .bytes = sums_.back().bytes + stage.bytes});
    }
  }

  // Where the block of each device starts, [num_devices].
  [[nodiscard]] std::vector<std::size_t> Starts() const {
    std::vector<BlockCost> worst;  // [num_stages + 1]: of the first stages on the devices so far
    for (std::size_t end = 0; end < sums_.size(); ++end) {
      worst.push_back(CostOf(0, end, devices_[0]));
    }
    std::vector<std::vector<std::size_t>> starts(devices_.size());  // [num_devices][ends]
    for (std::size_t d = 1; d < devices_.size(); ++d) {
      std::vector<BlockCost> next;
      for (std::size_t end = 0; end < sums_.size(); ++end) {
        starts[d].push_back(BestStart(worst, end, devices_[d]));
        next.push_back(WorstOf(worst, starts[d].back(), end, devices_[d]));
      }
      worst = std::move(next);
    }
    std::vector<std::size_t> result(devices_.size(), 0);
    std::size_t end = sums_.size() - 1;
    for (std::size_t d = devices_.size() - 1; d > 0; --d) {
      end = starts[d][end];
      result[d] = end;
    }
    return result;
  }

 private:
  [[nodiscard]] BlockCost CostOf(std::size_t start,
                                 std::size_t end,
                                 const BlockDevice& device) const {
    const double bytes = sums_[end].bytes - sums_[start].bytes;
    const bool fits = bytes <= device.room_bytes;
    return {.times_over_room = fits ? 0.0 : bytes / std::max(device.room_bytes, 1.0),
            .seconds = (sums_[end].seconds - sums_[start].seconds) / device.speed};
  }
  [[nodiscard]] BlockCost WorstOf(const std::vector<BlockCost>& worst_before,
                                  std::size_t start,
                                  std::size_t end,
                                  const BlockDevice& device) const {
    return std::max(worst_before[start], CostOf(start, end, device));
  }
  // The later the block starts, the better it is and the worse are those before it: the best start
  // is where the two meet.
  [[nodiscard]] std::size_t BestStart(const std::vector<BlockCost>& worst_before,
                                      std::size_t end,
                                      const BlockDevice& device) const {
    const auto starts = std::views::iota(std::size_t{0}, end);
    const std::size_t meeting = static_cast<std::size_t>(
        std::ranges::partition_point(
            starts, [&](std::size_t i) { return worst_before[i] < CostOf(i, end, device); }) -
        starts.begin());
    const bool is_earlier_better = meeting > 0 && WorstOf(worst_before, meeting - 1, end, device) <
                                                      WorstOf(worst_before, meeting, end, device);
    return is_earlier_better ? meeting - 1 : meeting;
  }

  std::span<const BlockDevice> devices_;
  std::vector<StageLoad> sums_;  // [num_stages + 1]: of the stages before
};

// Gives each device that has no stage one of its neighbour's, where there are enough: no block
// grows, but one that was empty.
void SpreadStarts(std::vector<std::size_t>& starts, std::size_t num_stages) {
  const std::size_t num_devices = starts.size();
  if (num_stages < num_devices) {
    return;
  }
  for (std::size_t d = 1; d < num_devices; ++d) {
    starts[d] = std::max(starts[d], starts[d - 1] + 1);
  }
  for (std::size_t d = 1; d < num_devices; ++d) {
    starts[d] = std::min(starts[d], num_stages - (num_devices - d));
  }
}

}  // namespace

std::vector<std::size_t> BalancedBlocks(std::span<const StageLoad> stages,
                                        std::span<const BlockDevice> devices) {
  std::vector<std::size_t> starts = BlockCutter(stages, devices).Starts();
  SpreadStarts(starts, stages.size());
  std::vector<std::size_t> device_of_stage;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const auto next = std::ranges::upper_bound(starts, stage);
    device_of_stage.push_back(static_cast<std::size_t>(next - starts.begin()) - 1);
  }
  return device_of_stage;
}

}  // namespace opyard::agents
