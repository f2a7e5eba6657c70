// One run of one plan: the event loop (SIMULATION §3) and the life of memory (§6).
#pragma once

#include <cstdint>
#include <optional>

#include "sim/engine/lowered_problem.h"
#include "sim/engine/recorder.h"
#include "sim/engine/workspace.h"
#include "sim/plan/plan.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

// Used once: construct, Execute. `recorder` may be null.
class Execution {
 public:
  Execution(const LoweredProblem& problem,
            const Plan& plan,
            Workspace& workspace,
            Recorder* recorder)
      : p_(problem),
        plan_(plan),
        w_(workspace),
        recorder_(recorder),
        scans_(problem.waits_for_memory || problem.one_per == OnePer::kOutput) {}

  // Throws PlanError if the plan does not fit.
  SimResult Execute();

 private:
  // Preparation (execution_setup.cc).
  void Place();
  void Prioritise();
  void Reset();
  void SizeQueues();
  void EnsureRoutes() const;
  void SpreadTransferPriorities();
  [[nodiscard]] bool AllocateParams();

  // The loop and the ops (execution.cc).
  [[nodiscard]] std::int64_t NextInstant();
  void ApplyCompletions();
  void Apply(const Event& event);
  [[nodiscard]] bool StartOps();
  [[nodiscard]] bool StartFirstThatFits(std::size_t device);
  [[nodiscard]] bool StartOp(std::int32_t op, std::size_t device);
  void FinishOp(std::int32_t op);
  void ReleaseInputs(std::int32_t op, std::size_t device);
  void CountDown(std::int32_t op);
  void Enqueue(std::int32_t op, std::uint32_t ready_instant);
  [[nodiscard]] bool IsAllDone() const { return num_done_ == p_.num_ops; }
  SimResult Result(Outcome outcome) const;

  // What a finished op gives to others (execution_outputs.cc).
  void PublishOutput(std::int32_t tensor, std::int32_t device);
  // Hands the tensor to its readers on `device` and notes those on other devices. Returns the
  // number of local readers.
  std::int32_t Distribute(std::int32_t tensor, std::int32_t device);
  void NoteRemoteReader(std::int32_t edge, std::int32_t destination);
  // Offer transfers to the noted devices, or for the noted edges; return how many.
  std::int32_t OfferToDevices(std::int32_t tensor, std::int32_t src);
  std::int32_t OfferToEdges(std::int32_t tensor, std::int32_t src);
  void Offer(std::int32_t slot, std::int64_t negated_priority);
  [[nodiscard]] std::int64_t NegatedTransferPriority(std::int32_t tensor,
                                                     std::int32_t dst,
                                                     std::int64_t derived) const;
  void SignalControl(std::int32_t op, std::int32_t device);
  void HoldStorage(std::int32_t tensor, std::int32_t holders, std::int32_t device);

  // Transfers (execution_transfers.cc).
  [[nodiscard]] bool StartTransfers();
  [[nodiscard]] std::optional<std::size_t> FindStartablePair();
  [[nodiscard]] bool StartScannedTransfers();
  [[nodiscard]] bool ChannelsAreFree(std::int32_t slot) const;
  // The first copy of the transfer that does not fit on its destination, if any.
  [[nodiscard]] std::optional<std::int32_t> FindCopyWithoutRoom(std::int32_t slot) const;
  [[nodiscard]] bool StartTransfer(std::int32_t slot);
  void BeginFlow(std::int32_t slot);
  void FinishTransfer(std::int32_t slot);
  void Deliver(std::int32_t slot);
  void FreeChannels(std::int32_t slot);

  // Memory (execution_transfers.cc).
  void Release(std::int32_t storage, std::size_t device);
  void FreeBytes(std::size_t device, std::int64_t bytes);
  [[nodiscard]] std::int64_t BytesOfStorage(std::int32_t storage) const;
  void RecordFailure(const FailedAllocation& failure);

  [[nodiscard]] std::size_t PairOf(std::int32_t slot) const;

  const LoweredProblem& p_;
  const Plan& plan_;
  Workspace& w_;
  Recorder* recorder_;
  const bool scans_;        // waiting transfers are scanned one by one, not by pairs
  bool must_scan_ = false;  // something has changed for waiting transfers
  std::int64_t now_ps_ = 0;
  std::int64_t end_ps_ = 0;    // the last completion that counts
  std::uint32_t instant_ = 0;  // the number of distinct instants before now
  std::size_t num_done_ = 0;   // ops
  std::int64_t num_transfers_ = 0;
};

}  // namespace opyard::sim
