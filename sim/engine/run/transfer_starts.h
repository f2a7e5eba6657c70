// Which of the waiting transfers start (docs/modelling.md, section 3: transfers; section 4: waiting
// for memory). This is the transfer policy.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sim/base/array_index.h"
#include "sim/engine/queues/select.h"
#include "sim/engine/run/channels.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/transfers.h"

namespace opyard::sim {

inline constexpr std::size_t kNoPair = ~std::size_t{0};

// kNoPair if no transfer can start. Transfers of one pair occupy the same channels, so only the
// heads of the pairs compete: the least head whose channels are free is the one that a scan of all
// waiting transfers in order would start.
template <EngineParts kParts>
[[nodiscard]] std::size_t FindStartablePair(const Run<kParts>& run) {
  // Most often none can start, or one.
  if (!kParts.options) {
    const std::uint64_t startable = run.state().waiting_pairs[0] & ~run.state().blocked_pairs[0];
    if ((startable & (startable - 1)) == 0) {
      return startable == 0 ? kNoPair : static_cast<std::size_t>(std::countr_zero(startable));
    }
  }
  std::size_t best = kNoPair;
  KeyOf<kParts> least = KeyOf<kParts>::Last();
  for (std::size_t word = 0; word < run.ConstView(run.state().waiting_pairs).size(); ++word) {
    std::uint64_t startable = run.state().waiting_pairs[word] & ~run.state().blocked_pairs[word];
    for (; startable != 0; startable &= startable - 1) {
      const std::size_t pair = word * 64 + static_cast<std::size_t>(std::countr_zero(startable));
      // Pairs come in order of (source, destination); equal heads are one tensor, so of one source.
      const KeyOf<kParts> head = run.queues.waiting.top(pair).key;
      best = Select(head < least, pair, best);
      least = std::min(least, head);
    }
  }
  return best;
}

// The literal rule: all that wait, in order; what cannot start does not hold back what follows.
// Starting only takes channels and memory, so one pass suffices.
template <EngineParts kParts>
[[nodiscard]] bool StartScannedTransfers(Run<kParts>& run) {
  if (!run.progress.must_scan) {
    return true;
  }
  run.progress.must_scan = false;
  std::size_t num_kept = 0;
  bool goes_on = true;
  for (const WaitingTransfer<KeyOf<kParts>>& waiting : run.queues.scanned) {
    const bool may_start =
        goes_on && ChannelsAreFree(run, waiting.slot) && HasTransferTurn(run, waiting.slot) &&
        (!run.waits_for_memory() || !FindCopyWithoutRoom(run, waiting.slot).has_value());
    if (may_start) {
      goes_on = StartTransfer(run, waiting.slot);
    } else {
      run.queues.scanned[num_kept++] = waiting;
    }
  }
  run.queues.scanned.resize(num_kept);
  return goes_on;
}

template <EngineParts kParts>
[[nodiscard]] bool StartTransfers(Run<kParts>& run) {
  if (run.scans()) {
    return StartScannedTransfers(run);
  }
  while (true) {
    const std::size_t pair = FindStartablePair(run);
    if (pair == kNoPair) {
      return true;
    }
    const std::int32_t slot = run.queues.waiting.Pop(pair).slot;
    RemoveBitIf(run.queues.waiting.empty(pair), run.View(run.state().waiting_pairs), pair);
    if (!StartTransfer(run, slot)) {
      return false;
    }
  }
}

}  // namespace opyard::sim
