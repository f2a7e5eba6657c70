// The chain of work and waits that explains the makespan, without a rest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/analysis/timeline.h"
#include "sim/base/units.h"

namespace opyard::sim {

// The activity, or the reason of the wait, in one part of the path.
enum class PartKind : std::uint8_t {
  kKernel,       // `subject` runs
  kTransfer,     // `subject` moves
  kSignal,       // the control edge from `behind` is on its way to `subject`
  kQueueWait,    // `subject` is ready, its device runs `behind`
  kChannelWait,  // `subject` is offered, a channel of its route carries `behind`
  kStreamHead,   // `subject` is ready behind `behind`, the head of its stream, that waits itself
  kChannelTurn,  // `subject` is offered, `behind` comes before it in the order of a channel
  kMemoryWait,   // nothing is in the way of `subject` but the bytes it asks for
  kDispatch,     // `subject` has its inputs, the host has not issued it
  kGap,          // the device or a channel that `subject` needs rests after `behind`
  kRelease,      // `subject` has its inputs, but one of its ops is not released
  // `subject` runs for that time longer than alone, since kernels of other devices (or streams) use
  // the bandwidth of its memory pool; counted at its end.
  kMemoryBandwidth,
};
inline constexpr std::size_t kNumPartKinds = 12;
// "kernel", "transfer", "signal", "queue_wait", "channel_wait", "stream_head", "channel_turn",
// "memory_wait", "dispatch", "gap", "release", "memory_bandwidth".
[[nodiscard]] const char* NameOf(PartKind kind);

// The half-open time [start, finish).
struct CriticalPart {
  PartKind kind = PartKind::kKernel;
  SimTime start;
  SimTime finish;
  SpanId subject;
  std::optional<SpanId> behind;

  [[nodiscard]] SimTime duration() const { return finish - start; }
};

// The parts in order of time: the first starts at 0, each starts where the one before it ends, the
// last ends at the makespan. Found backwards: from the work that ends last, through what kept it
// from starting once its inputs were there, to the input that came last (the first of equals), and
// so on. Waits have a length; kernels and transfers on the chain may have none. With trailing gaps
// that count, the last part may be the rest after `subject`. O(n log n) in spans and channels.
// REQUIRES: the step completed; `hardware` is its machine.
[[nodiscard]] std::vector<CriticalPart> CriticalPath(const Timeline& timeline,
                                                     const HardwareProfile& hardware);

// The time of all parts of each kind, by PartKind.
[[nodiscard]] std::array<SimTime, kNumPartKinds> TimeByKind(std::span<const CriticalPart> parts);

}  // namespace opyard::sim
