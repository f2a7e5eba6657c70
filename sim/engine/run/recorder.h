// The record that a reported run writes and a fast run does not.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// An allocation that failed.
struct FailedAllocation {
  enum class What : std::uint8_t { kParams, kKernel, kCopy };
  What what = What::kKernel;
  std::int32_t subject = 0;  // kernel, or the tensor that is copied
  std::int32_t device = 0;
  std::int64_t time_ps = 0;
  std::int64_t bytes = 0;
};

// The activity of a device between two instants.
enum class Activity : std::uint8_t { kBusy, kNoReadyWork, kMemory, kStreamHead, kDispatch, kGap };
inline constexpr std::size_t kNumActivities = 6;

// The time that a device has spent on each activity.
struct ActivityClock {
  Activity now = Activity::kNoReadyWork;
  std::int64_t since_ps = 0;
  std::array<std::int64_t, kNumActivities> total_ps{};  // by Activity, until `since_ps`

  // From `time_ps` on the device does `next`.
  void Change(Activity next, std::int64_t time_ps);
  // Time spent on `activity` until `end_ps`, which may lie before `since_ps`: what is over then
  // counts as if it had not been.
  [[nodiscard]] SimTime Until(Activity activity, std::int64_t end_ps) const;
};

// The bytes that a device holds, and the sample since which it has held the most so far.
struct Holdings {
  std::int64_t in_use = 0;
  std::int64_t peak = 0;
  std::int64_t peak_sample = 0;
};

// Spans by lowered index, filled as the run goes.
struct Recorder {
  // The finish of a transfer that is still under way under fair sharing.
  static constexpr SimTime kUnknown{std::numeric_limits<std::int64_t>::max()};

  explicit Recorder(const LoweredProblem& problem);

  // Notes what each device does and holds from `now_ps` on, after everything that could start has
  // started. Several times at one instant where work takes no time.
  void NoteDevices(const LoweredProblem& problem, const Workspace& workspace, std::int64_t now_ps);

  std::vector<std::optional<OpSpan>> ops;    // [num_ops] by kernel
  std::vector<std::int32_t> kernel_order;    // kernels in order of their start
  std::vector<TransferSpan> transfers;       // [num slots]; tensor by lowered index
  std::vector<std::int32_t> transfer_order;  // slots in order of their start
  std::vector<ActivityClock> devices;        // [num_devices]
  std::vector<MemorySample> memory;          // changes of what each device holds
  std::vector<Holdings> holdings;            // [num_devices]: as last sampled
  std::int64_t num_samples = 0;              // calls of NoteDevices
  std::function<void()> after_sample;        // called at the end of each, if there is any
  std::optional<FailedAllocation> failure;
};

}  // namespace opyard::sim
