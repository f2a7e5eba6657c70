// One run of one plan under way, for the functions of this folder: what it reads, and how far it
// is.
//
// Headers of this folder hold function templates over Run, for execution.cc, which makes one large
// function of them, and stepwise_run.cc; each includes only what happens below it
// (sim/engine/README.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/engine/lowering/kernel_graph.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/engine/queues/kernel_ends.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/queues/ready_queue.h"
#include "sim/engine/run/run_options.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Compile-time features of the engine. The run is instantiated once for each combination in use;
// ExecutePrepared (execution.cc) chooses by the problem and the plan, so that the common run does
// not pay for all features. Every build obeys the same rules; a run that needs none of the features
// left out is the same in all.
struct EngineParts {
  bool fair_sharing = true;
  // More than eight devices (up to eight a set of pairs of them is one word), wide keys, and what
  // the table of sim/engine/rules.cc keeps out of the lean build.
  bool options = true;
  // Stops where something is to be chosen (stepwise_run.h). With options only.
  bool choices = false;
};

// Sets of bits are one word without options.
template <EngineParts kParts>
inline constexpr std::size_t kExtentOf = kParts.options ? std::dynamic_extent : 1;
template <EngineParts kParts>
using BitsOf = BitWords<kExtentOf<kParts>>;
template <EngineParts kParts>
using ConstBitsOf = ConstBitWords<kExtentOf<kParts>>;
template <EngineParts kParts>
using KeyOf = std::conditional_t<kParts.options, WideKey, NarrowKey>;

// Used once. The workspace as PrepareRun left it, or as of a state that the run goes on from.
template <EngineParts kParts>
struct Run {
  Run(const LoweredProblem& its_problem,
      const Plan& its_plan,
      Workspace& its_workspace,
      const RunOptions& options)
      : problem(its_problem),
        graph(*its_workspace.prepared.graph),
        plan(its_plan),
        workspace(its_workspace),
        queues(QueuesOf(its_workspace)),
        recorder(options.recorder),
        state_keeper(options.state_keeper),
        limit_ps(options.limit.value_or(SimTime{kNever}).picoseconds),
        is_fused(&graph != &problem.unfused),
        is_new(options.from == nullptr),
        prefetches_ahead(graph.num_kernels >= kManyKernels),
        progress(is_new ? RunProgress{} : *options.from) {}

  [[nodiscard]] RunState& state() { return workspace.state; }
  [[nodiscard]] const RunState& state() const { return workspace.state; }
  [[nodiscard]] RunScratch& scratch() { return workspace.scratch; }
  [[nodiscard]] const RunScratch& scratch() const { return workspace.scratch; }

  // Which parts this run uses: constants where the build decides.
  [[nodiscard]] bool is_recorded() const { return kParts.options && recorder != nullptr; }
  // Whether the ends of kernels stand among the events.
  [[nodiscard]] static constexpr bool HasKernelEvents() { return kParts.options; }
  [[nodiscard]] bool is_fair() const {
    return kParts.fair_sharing && (!kParts.options || problem.rules.flows);
  }
  [[nodiscard]] bool is_placeto() const { return kParts.options && problem.rules.is_placeto; }
  [[nodiscard]] bool waits_for_memory() const {
    return kParts.options && problem.rules.waits_for_memory;
  }
  [[nodiscard]] bool is_one_per(OnePer one_per) const {
    return kParts.options ? problem.rules.one_per == one_per : one_per == OnePer::kDestination;
  }
  // True if transfers may start before all ends of their instant are processed.
  [[nodiscard]] bool starts_at_once() const {
    return !kParts.options && !is_fair() && problem.starts_at_once;
  }
  [[nodiscard]] bool has_releases() const { return kParts.options && !graph.release_ps.empty(); }
  [[nodiscard]] bool has_pools() const { return kParts.options && !problem.pools.empty(); }
  // Whether `kernel` uses the bandwidth of a memory pool.
  [[nodiscard]] bool has_body(std::int32_t kernel) const {
    return has_pools() && workspace.prepared.bodies[At(kernel)].time_ps > 0;
  }
  [[nodiscard]] bool has_streams() const {
    return kParts.options && !kParts.choices && workspace.prepared.has_streams();
  }
  [[nodiscard]] bool has_parallel_streams() const {
    return has_streams() && problem.rules.has_parallel_streams;
  }
  [[nodiscard]] bool scans() const {
    return kParts.options && (problem.scans_transfers || has_transfer_orders());
  }
  [[nodiscard]] bool has_transfer_orders() const {
    return kParts.options && !workspace.prepared.transfer_turns.empty();
  }

  // Whether a kernel is ready on `device`.
  [[nodiscard]] bool HasReady(std::size_t device) const {
    if constexpr (kParts.choices) {
      return !state().choices.ready[device].empty();
    } else {
      return !queues.ready.empty(device);
    }
  }

  [[nodiscard]] bool IsAllDone() const { return progress.num_done == graph.num_kernels; }
  // The number that orders queue entries of equal priority.
  [[nodiscard]] std::uint32_t NextEntry() {
    return is_placeto() ? progress.num_entries++ : progress.instant;
  }
  // The tensor's index in the graph without fusion.
  [[nodiscard]] std::int32_t OriginOf(std::int32_t tensor) const {
    return is_fused ? graph.origin[At(tensor)] : tensor;
  }
  [[nodiscard]] std::int32_t NumCopies(const ActiveTransfer& transfer) const {
    return kParts.options ? transfer.num_copies : 1;
  }

  // A set of bits of the workspace.
  [[nodiscard]] BitsOf<kParts> View(std::vector<std::uint64_t>& words) const {
    return BitsOf<kParts>(words.data(), kParts.options ? words.size() : 1);
  }
  [[nodiscard]] ConstBitsOf<kParts> ConstView(const std::vector<std::uint64_t>& words) const {
    return ConstBitsOf<kParts>(words.data(), kParts.options ? words.size() : 1);
  }
  // The pairs of devices that cannot transfer beside `pair`.
  [[nodiscard]] ConstBitsOf<kParts> Excludes(std::size_t pair) const {
    const std::size_t words = kParts.options ? problem.pair_words : 1;
    return ConstBitsOf<kParts>(problem.route_excludes.data() + pair * words, words);
  }

  // From so many kernels on, PrefetchAhead pays: the arrays then exceed the near caches.
  static constexpr std::size_t kManyKernels = 30'000;

  const LoweredProblem& problem;
  const KernelGraph& graph;
  const Plan& plan;
  Workspace& workspace;
  RunQueues<KeyOf<kParts>>& queues;
  Recorder* recorder;
  StateKeeper* state_keeper;
  std::int64_t limit_ps;
  bool is_fused;
  bool is_cut_off = false;
  bool is_new;            // begins at time 0
  bool prefetches_ahead;  // calls PrefetchAhead at each end of a kernel: speed only, no results
  // The destinations of the transfers that have started at once at this instant, and the peaks of
  // these devices before.
  std::uint64_t at_once_devices = 0;
  std::array<std::int64_t, KernelEnds::kMostDevices> peaks_before{};
  RunProgress progress;

 private:
  [[nodiscard]] static RunQueues<KeyOf<kParts>>& QueuesOf(Workspace& workspace) {
    if constexpr (kParts.options) {
      return workspace.state.wide_queues;
    } else {
      return workspace.state.narrow_queues;
    }
  }
};

}  // namespace opyard::sim
