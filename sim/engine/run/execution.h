// One run of one plan: the event loop (SIMULATION §3) and the life of memory (§6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run_history.h"
#include "sim/engine/run/run_setup.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

// What a build of the engine leaves out, so that the common run does not pay for the rest. Every
// build obeys the same rules; a run that needs none of the parts left out is the same in all.
struct EngineParts {
  bool fair_sharing = true;
  // More than eight devices (up to eight a set of pairs of them is one word), wide keys, and what
  // the table of sim/engine/rules.cc keeps out of the lean build.
  bool options = true;
};

// What a run does beside running.
struct RunOptions {
  Recorder* recorder = nullptr;       // writes spans down
  RunHistory* history = nullptr;      // keeps states on the way
  std::optional<SimTime> limit;       // as Simulator::RunUntil says
  const RunProgress* from = nullptr;  // goes on from here instead of time 0
};

// Used once: construct, Execute. `workspace` as PrepareRun or Checkpoint::Restore left it.
template <EngineParts kParts>
class Execution {
 public:
  Execution(const LoweredProblem& problem,
            const Plan& plan,
            Workspace& workspace,
            const RunOptions& options)
      : p_(problem),
        g_(*workspace.graph),
        plan_(plan),
        w_(workspace),
        q_(QueuesOf(workspace)),
        recorder_(options.recorder),
        history_(options.history),
        limit_ps_(options.limit.value_or(SimTime{kNever}).picoseconds),
        is_fused_(&g_ != &problem.unfused),
        is_new_(options.from == nullptr),
        looks_ahead_(g_.num_kernels >= kManyKernels),
        run_(is_new_ ? RunProgress{} : *options.from) {}

  SimResult Execute();

 private:
  static constexpr std::size_t kNoPair = ~std::size_t{0};
  // From so many on, looking ahead pays.
  static constexpr std::size_t kManyKernels = 30'000;
  static constexpr std::size_t kExtent = kParts.options ? std::dynamic_extent : 1;
  using Key = std::conditional_t<kParts.options, WideKey, NarrowKey>;
  using Bits = BitWords<kExtent>;
  using ConstBits = ConstBitWords<kExtent>;

  // The loop and the kernels (execution.cc).
  // False if the parameters do not fit.
  [[nodiscard]] bool Begin();
  // Everything that a run does, in one function: calls cost a fifth.
  [[gnu::flatten]] SimResult RunToEnd();
  void Remember();
  [[nodiscard]] bool ExceedsLimit(std::int32_t kernel, std::size_t device) const;
  // Goes on to the next instant and applies what ends there. False if nothing is to come.
  [[nodiscard]] bool Advance();
  void ApplyEvents();
  void Apply(const Event& event);
  [[nodiscard]] bool StartKernels();
  [[nodiscard]] bool StartFirstThatFits(std::size_t device);
  [[nodiscard]] bool StartKernel(std::int32_t kernel, std::size_t device);
  // What the end of the kernel will touch: once it is ready, its own tensors; once it starts, where
  // they will lie, the time they take to move and those who read them.
  [[gnu::always_inline]] inline void PrefetchTensors(const Kernel& kernel) const;
  [[gnu::always_inline]] inline void PrefetchOutputs(const Kernel& kernel) const;
  // Graphs are executed more or less in their order, so what will be touched soon is known before
  // any queue knows it. Pays where that is in no near cache.
  [[gnu::always_inline]] inline void PrefetchAhead() const;
  // All that end now, in index order. `is_alone` if nothing but kernels ends now.
  void FinishKernels(bool is_alone);
  // The kernel `first` and those that end with it. Apart from the loop, where it would be in the
  // way.
  [[gnu::noinline, gnu::flatten]] void FinishTogether(std::int32_t first);
  // `is_alone` if nothing else ends now.
  void FinishKernel(std::int32_t kernel, bool is_alone = false);
  void ReleaseInputs(std::int32_t kernel, std::size_t device);
  void CountDown(std::int32_t kernel);
  void Issue(std::int32_t kernel);
  // The first `count` of Workspace::released.
  void IssueReleased(std::size_t count);
  void Enqueue(std::int32_t kernel, std::uint32_t ready_instant);
  // The first in the queue of `device`.
  ReadyKernel<Key> PopReady(std::size_t device);
  [[nodiscard]] bool IsAllDone() const { return run_.num_done == g_.num_kernels; }
  SimResult Result(Outcome outcome) const;

  // The same under rules placeto (execution_placeto.h).
  [[nodiscard]] bool StartByName();
  [[nodiscard]] std::optional<std::int32_t> TakeTransferByName();
  [[nodiscard]] std::optional<std::size_t> TakeDeviceByName();
  // In the order of the graph's ops: entries are counted.
  void IssueSourcesByOp();
  void PublishForPlaceto(std::int32_t tensor, std::int32_t device);
  // The dependency of `edge` is met once all completions of this instant are applied.
  void ReleaseLater(std::int32_t edge);
  void NoteRemoteReader(const KernelState& reader);
  // What orders queue entries of equal priority.
  [[nodiscard]] std::uint32_t NextEntry() {
    return is_placeto() ? run_.num_entries++ : run_.instant;
  }

  // What a finished kernel gives to others (execution_outputs.h).
  // `is_alone` if it is all that this instant makes.
  void PublishOutput(std::int32_t tensor, std::int32_t device, bool is_alone);
  // Where the bytes of the tensor, just made, lie.
  [[nodiscard]] std::int32_t StorageOf(std::int32_t tensor);
  // Hands the tensor to its readers on `device` and notes those on other devices. Returns the
  // number of local readers.
  std::int32_t Distribute(std::int32_t tensor, std::int32_t storage, std::int32_t device);
  // Offer transfers to the noted devices, or for the noted edges; return how many.
  std::int32_t OfferTransfers(const ActiveTransfer& common);
  std::int32_t OfferToDevices(const ActiveTransfer& common);
  std::int32_t OfferJointly(const ActiveTransfer& common);
  std::int32_t OfferToEdges(const ActiveTransfer& common);
  // Starts the transfers to those noted devices to which the channels are free, and returns how
  // many these are; the others stay noted. REQUIRES: nothing else competes for channels.
  std::int32_t StartAtOnce(const ActiveTransfer& common);
  // None of the tensor's transfers has started, all its readers elsewhere are noted.
  void TakeBackStarts(const ActiveTransfer& common);
  // Memory peaks as if no transfer had started at once at this instant.
  void ForgetStartsAtOnce();
  // Adds the copy to `dst` that the noted readers there need; returns its slot. `common` says what
  // all copies of the tensor have in common.
  std::int32_t AddCopy(const ActiveTransfer& common, std::size_t dst);
  void Offer(std::int32_t slot, std::uint64_t priority_part);
  void OfferToScan(const WaitingTransfer<Key>& waiting);
  void RecordOffer(std::int32_t slot);
  // `derived` is the one that follows from the readers.
  [[nodiscard]] std::uint64_t TransferPriority(std::int32_t slot, std::uint64_t derived) const;
  void SignalControl(std::int32_t kernel, std::int32_t device);

  // Transfers (execution_transfers.h).
  [[nodiscard]] bool StartTransfers();
  // kNoPair if no transfer can start.
  [[nodiscard]] std::size_t FindStartablePair() const;
  [[nodiscard]] bool StartScannedTransfers();
  [[nodiscard]] bool ChannelsAreFree(std::int32_t slot) const;
  // The first copy of the transfer that does not fit on its destination, if any.
  [[nodiscard]] std::optional<std::int32_t> FindCopyWithoutRoom(std::int32_t slot) const;
  [[nodiscard]] bool StartTransfer(std::int32_t slot);
  // Of a transfer that fits.
  void BeginTransfer(std::int32_t slot);
  [[nodiscard]] std::int64_t TransferTime(std::int32_t slot) const;
  void OccupyChannels(std::int32_t slot);
  void FreeChannels(std::int32_t slot);
  void BeginFlow(std::int32_t slot);
  void FinishTransfer(std::int32_t slot);
  void Deliver(std::int32_t slot);

  // Memory (execution_transfers.h).
  void Release(std::int32_t storage, std::size_t device);
  void FreeBytes(std::size_t device, std::int64_t bytes);
  void RecordFailure(const FailedAllocation& failure);

  // The tensor's index in the graph without fusion.
  [[nodiscard]] std::int32_t OriginOf(std::int32_t tensor) const {
    return is_fused_ ? g_.origin[At(tensor)] : tensor;
  }
  [[nodiscard]] std::int32_t NumCopies(const ActiveTransfer& transfer) const {
    return kParts.options ? transfer.num_copies : 1;
  }

  [[nodiscard]] static RunQueues<Key>& QueuesOf(Workspace& workspace) {
    if constexpr (kParts.options) {
      return workspace.wide_queues;
    } else {
      return workspace.narrow_queues;
    }
  }

  // Which parts this run uses: constants where the build decides.
  [[nodiscard]] bool is_recorded() const { return kParts.options && recorder_ != nullptr; }
  // Whether the ends of kernels stand among the events.
  [[nodiscard]] static constexpr bool HasKernelEvents() { return kParts.options; }
  [[nodiscard]] bool is_fair() const {
    return kParts.fair_sharing && (!kParts.options || p_.rules.flows);
  }
  [[nodiscard]] bool is_placeto() const { return kParts.options && p_.rules.is_placeto; }
  [[nodiscard]] bool waits_for_memory() const {
    return kParts.options && p_.rules.waits_for_memory;
  }
  [[nodiscard]] bool is_one_per(OnePer one_per) const {
    return kParts.options ? p_.rules.one_per == one_per : one_per == OnePer::kDestination;
  }
  // Whether transfers may start before all that ends at their instant is looked at.
  [[nodiscard]] bool starts_at_once() const {
    return !kParts.options && !is_fair() && p_.starts_at_once;
  }
  [[nodiscard]] bool scans() const { return kParts.options && p_.scans_transfers; }

  [[nodiscard]] Bits View(std::vector<std::uint64_t>& words) const {
    return Bits(words.data(), kParts.options ? words.size() : 1);
  }
  [[nodiscard]] ConstBits View(const std::vector<std::uint64_t>& words) const {
    return ConstBits(words.data(), kParts.options ? words.size() : 1);
  }
  [[nodiscard]] ConstBits Excludes(std::size_t pair) const {
    const std::size_t words = kParts.options ? p_.pair_words : 1;
    return ConstBits(p_.route_excludes.data() + pair * words, words);
  }

  const LoweredProblem& p_;
  const KernelGraph& g_;
  const Plan& plan_;
  Workspace& w_;
  RunQueues<Key>& q_;
  Recorder* recorder_;
  RunHistory* history_;
  std::int64_t limit_ps_;
  std::size_t next_mark_ = 0;  // of the history, in finished kernels
  bool is_fused_;
  bool is_cut_off_ = false;
  bool is_new_;  // begins at time 0
  bool looks_ahead_;
  // Of the transfers that have started at once at this instant: where they lead, and the peaks of
  // these devices before.
  std::uint64_t at_once_devices_ = 0;
  std::array<std::int64_t, KernelEnds::kMostDevices> peaks_before_{};
  RunProgress run_;
};

// Executes what is prepared with the build that has just the parts which the run needs.
[[nodiscard]] SimResult ExecutePrepared(const LoweredProblem& problem,
                                        const Plan& plan,
                                        Workspace& workspace,
                                        const RunOptions& options);

}  // namespace opyard::sim
