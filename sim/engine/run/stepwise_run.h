// A run that stops where something is to be chosen, for those who decide as time goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sim/base/units.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/run_state.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// The rules are those of any run (docs/modelling.md), but for the queues of ready kernels: an idle
// device takes the one that the caller chooses, at once. So the run is that of the same plan with
// the queue `priority`, priorities that fall in the order of the starts, and transfer priorities
// that do not follow from them.
//
// Kernels are ops in the order of their topological indices, or of several ops where the plan
// fuses. A kernel without a device gets one before the first kernel that it reads ends, when its
// transfers are offered; one that reads nothing, before it is ready. What it holds of its own, its
// parameters, counts from time 0.
//
// Starts at a state in which nothing runs: call Begin. Not thread-safe.
class StepwiseRun {
 public:
  enum class Choice : std::uint8_t {
    kNothing,  // the run is over
    kDevice,   // of each of unplaced()
    kKernel,   // of startable(), on idle_device()
  };

  explicit StepwiseRun(std::shared_ptr<const LoweredProblem> problem);
  ~StepwiseRun();
  StepwiseRun(const StepwiseRun&) = delete;
  StepwiseRun& operator=(const StepwiseRun&) = delete;

  // Prepares the run of `plan`, in which ops may be on DeviceId(KernelState::kNoDevice), and goes
  // on to the first choice. Its queue and op priorities are ignored. Throws as PrepareStepwiseRun.
  void Begin(const Plan& plan);

  // Gives a kernel without a device one. REQUIRES: it is allowed there, as a plan would be.
  void Place(std::int32_t kernel, std::int32_t device);
  // Starts `kernel` on idle_device(). REQUIRES: it is in startable().
  void Start(std::int32_t kernel);
  // Goes on to the next choice, after one kernel has started or all of unplaced() have devices.
  void GoOn();

  [[nodiscard]] Choice choice() const { return choice_; }
  [[nodiscard]] std::span<const std::int32_t> unplaced() const {
    return workspace_.state.choices.unplaced;
  }
  [[nodiscard]] std::int32_t idle_device() const { return idle_device_; }
  // Ready on idle_device() and, under `on_exceed: wait`, small enough, in the order in which they
  // became ready.
  [[nodiscard]] std::span<const std::int32_t> startable() const { return startable_; }

  [[nodiscard]] std::size_t num_kernels() const;
  // The ops of a kernel, by topological index, ascending.
  [[nodiscard]] std::span<const std::int32_t> OpsOf(std::int32_t kernel) const;
  [[nodiscard]] SimTime now() const { return SimTime{progress_.now_ps}; }
  // Of a kernel: KernelState::kNoDevice before it has one.
  [[nodiscard]] std::int32_t DeviceOf(std::int32_t kernel) const;
  // What runs on the device: a kernel, or DeviceState::kNone or kResting.
  [[nodiscard]] std::int32_t RunningOn(std::size_t device) const;
  // How long that kernel still takes, 0 for none; on a device of a memory pool at the rates that
  // were set last.
  [[nodiscard]] SimTime RemainingOn(std::size_t device) const;
  // Ready on the device.
  [[nodiscard]] std::span<const std::int32_t> ReadyOn(std::size_t device) const {
    return workspace_.state.choices.ready[device];
  }
  [[nodiscard]] const MemoryLedger::Account& MemoryOf(std::size_t device) const {
    return workspace_.state.memory.account(device);
  }
  // What became of the run once it is over; before, kCutOff at now().
  [[nodiscard]] const SimResult& result() const { return result_; }
  // The kernels that have started, in that order; last, one that did not fit.
  [[nodiscard]] const std::vector<std::int32_t>& starts() const { return starts_; }
  // The plan whose simulation is this run, unless a parameter did not fit: op priorities fall in
  // the order of the starts, and each copy has the transfer priority that it had here, 0 if none
  // was given. Kernels that have not started have priority 0, and those without a device none.
  [[nodiscard]] Plan MadePlan() const;

 private:
  void End(const SimResult& result);

  std::shared_ptr<const LoweredProblem> problem_;
  Plan plan_;  // with the devices chosen so far
  Workspace workspace_;
  RunProgress progress_;
  Choice choice_ = Choice::kNothing;
  std::int32_t idle_device_ = 0;
  std::vector<std::int32_t> startable_;
  std::vector<std::int32_t> starts_;
  SimResult result_;
  std::vector<std::int32_t> own_;  // [num_kernels]: 0, 1, …: the ops of kernels of one op
};

}  // namespace opyard::sim
