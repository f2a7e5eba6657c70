#include "sim/engine/run/stepwise_run.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/base/array_index.h"
#include "sim/base/check.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/run/kernel_starts.h"
#include "sim/engine/run/ready_kernels.h"
#include "sim/engine/run/rounds.h"
#include "sim/engine/run/run.h"
#include "sim/engine/run/run_setup.h"
#include "sim/engine/run/transfer_starts.h"

// The build of the engine that stops at choices; execution.cc has the others.

namespace opyard::sim {
namespace {

constexpr EngineParts kStepwise{.choices = true};
using ChoosingRun = Run<kStepwise>;

// The kernels that `device` could start now.
void FindStartable(const ChoosingRun& run,
                   std::size_t device,
                   std::vector<std::int32_t>& startable) {
  startable.clear();
  for (const std::int32_t kernel : run.state().choices.ready[device]) {
    if (!run.waits_for_memory() ||
        FitsInMemory(run, device, run.graph.kernels[At(kernel)].start_bytes)) {
      startable.push_back(kernel);
    }
  }
}

// The first idle device that could start one of several kernels, or one.
std::optional<std::int32_t> FindIdleDevice(ChoosingRun& run, std::vector<std::int32_t>& startable) {
  for (std::size_t word = 0; word < run.View(run.state().idle_devices).size(); ++word) {
    std::uint64_t idle = run.state().idle_devices[word] & run.state().ready_devices[word];
    for (; idle != 0; idle &= idle - 1) {
      const std::size_t device = word * 64 + static_cast<std::size_t>(std::countr_zero(idle));
      FindStartable(run, device, startable);
      if (!startable.empty()) {
        return Size32(device);
      }
      RemoveBit(run.View(run.state().ready_devices), device);
    }
  }
  return std::nullopt;
}

// The kernels without a device that read what `kernel` makes, or wait for it.
void ListUnplacedReaders(ChoosingRun& run, std::int32_t kernel) {
  const KernelGraph& g = run.graph;
  const auto list = [&](std::int32_t reader) {
    if (run.state().kernels[At(reader)].device == KernelState::kNoDevice) {
      run.state().choices.unplaced.push_back(reader);
    }
  };
  const std::int32_t end = g.tensors[At(g.kernels[At(kernel) + 1].first_output)].first_consumer;
  for (std::int32_t edge = g.tensors[At(g.kernels[At(kernel)].first_output)].first_consumer;
       edge < end;
       ++edge) {
    list(g.consumers[At(edge)]);
  }
  for (std::int32_t i = g.kernels[At(kernel)].first_control;
       i < g.kernels[At(kernel) + 1].first_control;
       ++i) {
    list(g.control_consumers[At(i)]);
  }
}

// Those that need a device before the next instant.
void ListUnplaced(ChoosingRun& run) {
  std::int64_t next_ps = run.state().events.next_ps();
  if (run.is_fair()) {
    next_ps = std::min(next_ps, run.state().flows.NextEnd(run.progress.now_ps));
  }
  for (std::size_t d = 0; d < run.problem.num_devices; ++d) {
    if (run.state().devices[d].running >= 0 && run.state().choices.kernel_end_ps[d] == next_ps) {
      ListUnplacedReaders(run, run.state().devices[d].running);
    }
  }
  std::vector<std::int32_t>& unplaced = run.state().choices.unplaced;
  std::ranges::sort(unplaced);
  unplaced.erase(std::ranges::unique(unplaced).begin(), unplaced.end());
}

// Gives priority 0 to each copy that the plan needs and gives none.
void AddTransferPriorities(const OpGraph& graph, std::size_t num_devices, Plan& plan) {
  std::vector<std::uint8_t> is_given(graph.num_tensors() * num_devices, 0);
  for (const TransferPriority& given : plan.transfer_priority) {
    is_given[given.tensor.index() * num_devices + given.destination.index()] = 1;
  }
  for (std::size_t tensor = 0; tensor < graph.num_tensors(); ++tensor) {
    const DeviceId src = plan.placement[graph.tensor(TensorId(tensor)).producer.index()];
    for (const OpId consumer : graph.consumers(TensorId(tensor))) {
      const DeviceId dst = plan.placement[consumer.index()];
      if (dst != src && dst.value != KernelState::kNoDevice &&
          std::exchange(is_given[tensor * num_devices + dst.index()], 1) == 0) {
        plan.transfer_priority.push_back({.tensor = TensorId(tensor), .destination = dst});
      }
    }
  }
}

}  // namespace

StepwiseRun::StepwiseRun(std::shared_ptr<const LoweredProblem> problem)
    : problem_(std::move(problem)) {
  OPYARD_CHECK(problem_ != nullptr, "a run needs a problem");
}

StepwiseRun::~StepwiseRun() = default;

void StepwiseRun::Begin(const Plan& plan) {
  plan_ = plan;
  plan_.queue = QueueDiscipline::kFifo;
  plan_.op_priority.clear();
  PrepareStepwiseRun(*problem_, plan_, workspace_);
  own_.resize(num_kernels());
  std::iota(own_.begin(), own_.end(), 0);
  starts_.clear();
  ChoosingRun run(*problem_, plan_, workspace_, {});
  if (!BeginRun(run)) {
    End(ResultOf(run, Outcome::kOutOfMemory));
    return;
  }
  progress_ = run.progress;
  choice_ = Choice::kDevice;
  GoOn();
}

void StepwiseRun::Place(std::int32_t kernel, std::int32_t device) {
  KernelState& state = workspace_.state.kernels[At(kernel)];
  OPYARD_CHECK(state.device == KernelState::kNoDevice, "a kernel has one device");
  state.device = device;
  state.duration_ps = problem_->Duration(At(kernel), At(device));
  workspace_.prepared.device_of[At(kernel)] = static_cast<std::uint16_t>(device);
  plan_.placement[problem_->op_of[At(kernel)].index()] = DeviceId(device);
  ChoosingRun run(*problem_, plan_, workspace_, {.from = &progress_});
  MemoryLedger& memory = workspace_.state.memory;
  const std::int64_t bytes = problem_->param_bytes[At(kernel)];
  if (bytes > memory.account(At(device)).capacity - memory.account(At(device)).peak) {
    End(ResultOf(run, Outcome::kOutOfMemory));
    return;
  }
  memory.ShiftPast(At(device), bytes);
  if (std::erase(workspace_.state.choices.unplaced, kernel) > 0 && state.pending == 0) {
    IssueReadyKernel(run, kernel);
    progress_ = run.progress;
  }
}

void StepwiseRun::Start(std::int32_t kernel) {
  const auto device = At(idle_device_);
  ChoosingRun run(*problem_, plan_, workspace_, {.from = &progress_});
  std::vector<std::int32_t>& ready = workspace_.state.choices.ready[device];
  OPYARD_CHECK(choice_ == Choice::kKernel && std::erase(ready, kernel) == 1, "a kernel is ready");
  RemoveBitIf(ready.empty(), run.View(run.state().ready_devices), device);
  starts_.push_back(kernel);
  if (!StartKernel(run, kernel, device)) {
    End(ResultOf(run, Outcome::kOutOfMemory));
    return;
  }
  progress_ = run.progress;
}

void StepwiseRun::GoOn() {
  ChoosingRun run(*problem_, plan_, workspace_, {.from = &progress_});
  while (choice_ != Choice::kNothing) {
    if (!unplaced().empty()) {
      choice_ = Choice::kDevice;
      break;
    }
    if (const std::optional<std::int32_t> device = FindIdleDevice(run, startable_)) {
      idle_device_ = *device;
      choice_ = Choice::kKernel;
      break;
    }
    if (!StartTransfers(run)) {
      End(ResultOf(run, Outcome::kOutOfMemory));
      return;
    }
    ListUnplaced(run);
    if (unplaced().empty() && !Advance(run)) {
      End(ResultOf(run, run.IsAllDone() ? Outcome::kCompleted : Outcome::kDeadlock));
      return;
    }
  }
  progress_ = run.progress;
  result_ = choice_ == Choice::kNothing ? result_ : ResultOf(run, Outcome::kCutOff);
}

void StepwiseRun::End(const SimResult& result) {
  choice_ = Choice::kNothing;
  startable_.clear();
  result_ = result;
}

Plan StepwiseRun::MadePlan() const {
  Plan plan = plan_;
  plan.queue = QueueDiscipline::kPriority;
  plan.op_priority.assign(problem_->num_ops, 0);
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    for (const std::int32_t op : OpsOf(starts_[i])) {
      plan.op_priority[problem_->op_of[At(op)].index()] =
          static_cast<std::int64_t>(num_kernels() - i);
    }
  }
  AddTransferPriorities(*problem_->graph, problem_->num_devices, plan);
  return plan;
}

std::size_t StepwiseRun::num_kernels() const {
  return workspace_.prepared.graph->num_kernels;
}

std::span<const std::int32_t> StepwiseRun::OpsOf(std::int32_t kernel) const {
  const FusedPlan* fused = workspace_.prepared.fused;
  return fused == nullptr ? std::span(own_).subspan(At(kernel), 1)
                          : fused->kernels.ops_of(At(kernel));
}

std::int32_t StepwiseRun::DeviceOf(std::int32_t kernel) const {
  return workspace_.state.kernels[At(kernel)].device;
}

std::int32_t StepwiseRun::RunningOn(std::size_t device) const {
  return workspace_.state.devices[device].running;
}

SimTime StepwiseRun::RemainingOn(std::size_t device) const {
  const std::int32_t kernel = RunningOn(device);
  if (kernel < 0) {
    return {};
  }
  const std::int64_t end_ps = std::max(workspace_.state.choices.kernel_end_ps[device],
                                       workspace_.state.pool_bandwidth.EndOf(kernel));
  return SimTime{end_ps - progress_.now_ps};
}

}  // namespace opyard::sim
