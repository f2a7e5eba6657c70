// What a reported run writes down and a fast run does not.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/engine/lowered_problem.h"
#include "sim/engine/workspace.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

// What could not be allocated.
struct FailedAllocation {
  enum class What : std::uint8_t { kParams, kKernel, kCopy };
  What what = What::kKernel;
  std::int32_t subject = 0;  // kernel, or the tensor that is copied
  std::int32_t device = 0;
  std::int64_t time_ps = 0;
  std::int64_t bytes = 0;
};

// What a device does between two instants.
enum class Activity : std::uint8_t { kBusy, kNoReadyWork, kMemory, kDispatch, kGap };
inline constexpr std::size_t kNumActivities = 5;

// How long a device has done what.
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

// Spans by lowered index, filled as the run goes.
struct Recorder {
  // The finish of a transfer that is still under way under fair sharing.
  static constexpr SimTime kUnknown{std::numeric_limits<std::int64_t>::max()};

  explicit Recorder(const LoweredProblem& problem);

  // What each device does from `now_ps` on, after everything that could start has started.
  void NoteActivities(const LoweredProblem& problem,
                      const Workspace& workspace,
                      std::int64_t now_ps);

  std::vector<std::optional<OpSpan>> ops;    // [num_ops] by kernel
  std::vector<TransferSpan> transfers;       // [num slots]; tensor by lowered index
  std::vector<std::int32_t> transfer_order;  // slots in order of their start
  std::vector<ActivityClock> devices;        // [num_devices]
  std::optional<FailedAllocation> failure;
};

}  // namespace opyard::sim
