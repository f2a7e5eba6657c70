// Transfers that start without having waited, where none can overtake another
// (docs/decisions/0009). A shortcut: results are those of the queues.
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "sim/base/array_index.h"
#include "sim/engine/run/offers.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/transfers.h"

namespace opyard::sim {

// Memory peaks as if no transfer had started at once at this instant.
template <EngineParts kParts>
void ForgetStartsAtOnce(Run<kParts>& run) {
  ForEachBit(std::span<const std::uint64_t, 1>(&run.at_once_devices, 1),
             [&](std::size_t dst) { run.state().memory.ResetPeak(dst, run.peaks_before[dst]); });
  run.at_once_devices = 0;
}

// Afterwards none of the tensor's transfers has started, all its readers elsewhere are noted. The
// run is about to end, since one of them does not fit. The queues decide which of the others
// started before it; their events no longer matter.
template <EngineParts kParts>
void TakeBackStarts(Run<kParts>& run, const ActiveTransfer& common) {
  const KernelTensor& tensor = run.graph.tensors[At(common.tensor)];
  ForEachBit(std::span<const std::uint64_t, 1>(&run.at_once_devices, 1), [&](std::size_t dst) {
    run.state().memory.Free(dst, tensor.bytes);
    RemoveBit(run.View(run.state().active_pairs), At(common.src) * run.problem.num_devices + dst);
    RemoveBit(run.View(run.state().blocked_pairs), At(common.src) * run.problem.num_devices + dst);
    run.state().transfers.pop_back();
  });
  ForgetStartsAtOnce(run);
  std::ranges::fill(run.scratch().remote, RemoteReaders{});
  for (std::int32_t edge = tensor.first_consumer;
       edge < run.graph.tensors[At(common.tensor) + 1].first_consumer;
       ++edge) {
    const KernelState& reader = run.state().kernels[At(run.graph.consumers[At(edge)])];
    if (reader.device != common.src) {
      NoteRemoteReader(run, reader);
    }
  }
}

// Starts the transfers to those noted devices to which the channels are free, and returns how many
// these are; the others stay noted. REQUIRES: nothing else competes for channels. None can overtake
// another: no two lead over the same channels. What waits already waits for a pair that is taken.
template <EngineParts kParts>
std::int32_t StartAtOnce(Run<kParts>& run, const ActiveTransfer& common) {
  const std::int64_t bytes = run.graph.tensors[At(common.tensor)].bytes;
  const std::uint64_t blocked =
      run.state().blocked_pairs[0] >> At(common.src) * run.problem.num_devices;
  const std::uint64_t readers = run.scratch().touched_devices[0];
  std::int32_t num_transfers = 0;
  for (std::uint64_t rest = readers & ~blocked; rest != 0; rest &= rest - 1) {
    const auto dst = static_cast<std::size_t>(std::countr_zero(rest));
    if (!run.state().memory.Fits(dst, bytes)) [[unlikely]] {
      TakeBackStarts(run, common);
      return 0;
    }
    run.peaks_before[dst] = run.state().memory.account(dst).peak;
    run.at_once_devices |= std::uint64_t{1} << dst;
    BeginTransfer(run, AddCopy(run, common, dst));
    run.scratch().remote[dst] = {};
    ++num_transfers;
  }
  run.scratch().touched_devices[0] = readers & blocked;
  run.progress.num_transfers += num_transfers;
  return num_transfers;
}

}  // namespace opyard::sim
