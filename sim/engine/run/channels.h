// Which channels are taken: transfers that share one exclude each other (docs/modelling.md, section
// 3: transfers).
#pragma once

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/run/run.h"

namespace opyard::sim {

template <EngineParts kParts>
[[nodiscard]] bool ChannelsAreFree(const Run<kParts>& run, std::int32_t slot) {
  const std::int32_t end = slot + run.NumCopies(run.state().transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end; ++copy) {
    if (HasBit(run.ConstView(run.state().blocked_pairs),
               At(run.state().transfers[At(copy)].pair))) {
      return false;
    }
  }
  return true;
}

// A pair that shares no channel, not even with itself, is never blocked.
template <EngineParts kParts>
void OccupyChannels(Run<kParts>& run, std::int32_t slot) {
  const std::int32_t end = slot + run.NumCopies(run.state().transfers[At(slot)]);
  for (std::int32_t copy = slot; copy < end; ++copy) {
    const std::size_t pair = At(run.state().transfers[At(copy)].pair);
    InsertBit(run.View(run.state().active_pairs), pair);
    InsertAll(run.View(run.state().blocked_pairs), run.Excludes(pair));
  }
}

// Blocked is what shares a channel with an active pair.
template <EngineParts kParts>
void FreeChannels(Run<kParts>& run, std::int32_t slot) {
  const std::int32_t end = slot + run.NumCopies(run.state().transfers[At(slot)]);
  bool are_apart = true;
  for (std::int32_t copy = slot; copy < end; ++copy) {
    const std::size_t pair = At(run.state().transfers[At(copy)].pair);
    RemoveBit(run.View(run.state().active_pairs), pair);
    RemoveBit(run.View(run.state().blocked_pairs), pair);
    are_apart = are_apart && run.problem.routes[pair].is_apart;
  }
  if (!are_apart) {
    std::ranges::fill(run.View(run.state().blocked_pairs), 0);
    ForEachBit(run.ConstView(run.state().active_pairs), [&](std::size_t pair) {
      InsertAll(run.View(run.state().blocked_pairs), run.Excludes(pair));
    });
  }
  run.progress.must_scan = true;
}

}  // namespace opyard::sim
