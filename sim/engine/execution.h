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
      : p_(problem), plan_(plan), w_(workspace), recorder_(recorder) {}

  // Throws PlanError if the plan does not fit.
  SimResult Execute();

 private:
  // Preparation.
  void Place();
  void Prioritise();
  void Reset();
  void SizeQueues();
  void SpreadTransferPriorities();
  [[nodiscard]] bool AllocateParams();

  // The loop.
  [[nodiscard]] bool StartOps();
  [[nodiscard]] bool StartOp(std::int32_t op, std::size_t device);
  [[nodiscard]] bool StartTransfers();
  [[nodiscard]] std::optional<std::size_t> FindStartablePair();
  [[nodiscard]] bool StartTransfer(std::size_t pair);
  void ApplyCompletions();
  void FinishOp(std::int32_t op);
  void FinishTransfer(std::int32_t slot);
  SimResult Result(Outcome outcome) const;

  // Parts of finishing an op.
  void PublishOutput(std::int32_t tensor, std::int32_t device);
  // Hands the tensor to its readers on `device` and gathers a transfer for each other device that
  // reads it. Returns the number of local readers.
  std::int32_t Distribute(std::int32_t tensor, std::int32_t device);
  void OfferTransfers(std::int32_t tensor, std::int32_t src);
  void SignalControl(std::int32_t op, std::int32_t device);
  void ReleaseInputs(std::int32_t op, std::size_t device);
  void HoldStorage(std::int32_t tensor, std::int32_t holders, std::int32_t device);

  void CountDown(std::int32_t op);
  void Release(std::int32_t storage, std::size_t device);
  [[nodiscard]] std::int64_t BytesOfStorage(std::int32_t storage) const;
  [[nodiscard]] std::int64_t NegatedTransferPriority(std::int32_t tensor,
                                                     std::int32_t dst,
                                                     std::int64_t derived) const;
  void RecordFailure(const FailedAllocation& failure);

  const LoweredProblem& p_;
  const Plan& plan_;
  Workspace& w_;
  Recorder* recorder_;
  std::int64_t now_ps_ = 0;
  std::uint32_t instant_ = 0;  // the number of distinct instants before now
};

}  // namespace opyard::sim
