#include "sim/engine/run/execution.h"

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/run/execution_outputs.h"
#include "sim/engine/run/execution_placeto.h"
#include "sim/engine/run/execution_prefetches.h"
#include "sim/engine/run/execution_transfers.h"
#include "sim/engine/run/run_setup.h"

namespace opyard::sim {

template <EngineParts kParts>
SimResult Execution<kParts>::Execute() {
  if (limit_ps_ != kNever && is_new_) {
    AddWorkUp(w_.kernels, p_.num_devices, w_.device_total_ps);
  }
  if (history_ != nullptr) {
    next_mark_ = history_->NextMark();
  }
  return is_new_ && !Begin() ? Result(Outcome::kOutOfMemory) : RunToEnd();
}

template <EngineParts kParts>
bool Execution<kParts>::Begin() {
  if (const std::optional<FailedAllocation> failure = AllocateParams(p_, w_)) {
    RecordFailure(*failure);
    return false;
  }
  if (is_placeto()) {
    IssueSourcesByOp();
  } else {
    std::ranges::for_each(g_.sources, [this](std::int32_t kernel) { Issue(kernel); });
  }
  return true;
}

template <EngineParts kParts>
SimResult Execution<kParts>::RunToEnd() {
  while (true) {
    const bool goes_on = is_placeto() ? StartByName() : StartKernels() && StartTransfers();
    // Once all is done, rests that do not count belong to no one's time.
    if (is_recorded() && !(IsAllDone() && run_.now_ps > run_.end_ps)) {
      recorder_->NoteDevices(p_, w_, run_.now_ps);
    }
    if (!goes_on) {
      ForgetStartsAtOnce();
      return Result(is_cut_off_ ? Outcome::kCutOff : Outcome::kOutOfMemory);
    }
    if (history_ != nullptr) {
      Remember();
    }
    if (!Advance()) {
      return Result(IsAllDone() ? Outcome::kCompleted : Outcome::kDeadlock);
    }
  }
}

template <EngineParts kParts>
void Execution<kParts>::Remember() {
  if (run_.num_done >= next_mark_) {
    history_->AddCheckpoint(w_, run_);
    next_mark_ = history_->NextMark();
  }
}

// Whatever comes, the ops after the kernel take their time, and so does what the device has left.
template <EngineParts kParts>
bool Execution<kParts>::ExceedsLimit(std::int32_t kernel, std::size_t device) const {
  const std::int64_t path_ps =
      is_fused_ ? 0 : w_.kernels[At(kernel)].duration_ps + p_.tail_ps[At(kernel)];
  const std::int64_t work_ps = w_.device_total_ps[device] - w_.devices[device].busy_ps;
  return std::max(path_ps, work_ps) > limit_ps_ - run_.now_ps;
}

template <EngineParts kParts>
SimResult Execution<kParts>::Result(Outcome outcome) const {
  // However late it was noticed.
  if (outcome == Outcome::kCompleted && run_.end_ps > limit_ps_) {
    outcome = Outcome::kCutOff;
  }
  SimResult result{.outcome = outcome,
                   .makespan = SimTime{outcome == Outcome::kCompleted ? run_.end_ps : run_.now_ps},
                   .num_transfers = run_.num_transfers};
  for (const MemoryLedger::Account& account : w_.memory.accounts()) {
    result.peak_memory = std::max(result.peak_memory, Bytes{account.peak});
  }
  return result;
}

template <EngineParts kParts>
bool Execution<kParts>::Advance() {
  const std::int64_t event_ps = w_.events.next_ps();
  const std::int64_t kernel_ps = HasKernelEvents() ? kNever : w_.kernel_ends.next_ps();
  std::int64_t next_ps = std::min(event_ps, kernel_ps);
  if (is_fair()) {
    next_ps = std::min(next_ps, w_.flows.NextEnd(run_.now_ps));
  }
  if (next_ps == kNever) {
    return false;
  }
  run_.instant += next_ps != run_.now_ps ? 1 : 0;
  run_.now_ps = next_ps;
  at_once_devices_ = 0;
  if (kernel_ps == next_ps) {
    FinishKernels(event_ps != next_ps);
  }
  // What starts at once and takes no time ends in the next round.
  if (event_ps == next_ps || is_fair()) {
    ApplyEvents();
  }
  return true;
}

template <EngineParts kParts>
void Execution<kParts>::ApplyEvents() {
  while (w_.events.next_ps() == run_.now_ps) {
    Apply(w_.events.Pop());
  }
  if (is_fair()) {
    while (const std::optional<std::int32_t> slot = w_.flows.PopEnded(run_.now_ps)) {
      FinishTransfer(*slot);
    }
  }
}

template <EngineParts kParts>
void Execution<kParts>::Apply(const Event& event) {
  switch (event.kind()) {
    case EventKind::kKernelDone:
      if constexpr (HasKernelEvents()) {
        FinishKernel(event.subject());
      }
      break;
    case EventKind::kTransferDone:
      FinishTransfer(event.subject());
      break;
    case EventKind::kControlArrived:
      CountDown(event.subject());
      break;
    case EventKind::kFlowBegins:
      BeginFlow(event.subject());
      break;
    case EventKind::kReleased:
      CountDown(g_.consumers[At(p_.edge_of_rank[At(event.subject())])]);
      break;
    case EventKind::kKernelIssued:
      --w_.devices[At(w_.kernels[At(event.subject())].device)].num_unissued;
      Enqueue(event.subject(), w_.ready_instant[At(event.subject())]);
      break;
    case EventKind::kDeviceRested:
      w_.devices[At(event.subject())].running = DeviceState::kNone;
      InsertBit(View(w_.idle_devices), At(event.subject()));
      run_.end_ps = p_.rules.trailing_gaps_count ? run_.now_ps : run_.end_ps;
      break;
    case EventKind::kChannelsRested:
      FreeChannels(event.subject());
      run_.end_ps = p_.rules.trailing_gaps_count ? run_.now_ps : run_.end_ps;
      break;
  }
}

template <EngineParts kParts>
bool Execution<kParts>::StartKernels() {
  for (std::size_t word = 0; word < View(w_.idle_devices).size(); ++word) {
    std::uint64_t startable = w_.idle_devices[word] & w_.ready_devices[word];
    for (; startable != 0; startable &= startable - 1) {
      const std::size_t device = word * 64 + static_cast<std::size_t>(std::countr_zero(startable));
      const bool goes_on = waits_for_memory() ? StartFirstThatFits(device)
                                              : StartKernel(PopReady(device).kernel(), device);
      if (!goes_on) {
        return false;
      }
    }
  }
  return true;
}

// Kernels that do not fit are set aside and queued again: they keep their place. Always true.
template <EngineParts kParts>
bool Execution<kParts>::StartFirstThatFits(std::size_t device) {
  q_.set_aside.clear();
  bool has_started = false;
  while (!has_started && !q_.ready.empty(device)) {
    const ReadyKernel<Key> next = PopReady(device);
    if (w_.memory.Fits(device, g_.kernels[At(next.kernel())].start_bytes)) {
      has_started = StartKernel(next.kernel(), device);
    } else {
      q_.set_aside.push_back(next);
    }
  }
  for (const ReadyKernel<Key>& kernel : q_.set_aside) {
    q_.ready.Push(device, kernel);
  }
  InsertBitIf(has_started && !q_.ready.empty(device), View(w_.ready_devices), device);
  return true;
}

template <EngineParts kParts>
bool Execution<kParts>::StartKernel(std::int32_t kernel, std::size_t device) {
  if (limit_ps_ != kNever && ExceedsLimit(kernel, device)) {
    is_cut_off_ = true;
    return false;
  }
  const std::int64_t bytes = g_.kernels[At(kernel)].start_bytes;
  if (!w_.memory.Allocate(device, bytes, run_.now_ps)) {
    RecordFailure({.what = FailedAllocation::What::kKernel,
                   .subject = kernel,
                   .device = static_cast<std::int32_t>(device),
                   .time_ps = run_.now_ps,
                   .bytes = bytes});
    return false;
  }
  const std::int64_t duration_ps = w_.kernels[At(kernel)].duration_ps;
  PrefetchOutputs(g_.kernels[At(kernel)]);
  DeviceState& state = w_.devices[device];
  RemoveBit(View(w_.idle_devices), device);
  state.running = kernel;
  state.busy_ps += duration_ps;
  const std::int64_t end_ps = run_.now_ps + duration_ps;
  if constexpr (HasKernelEvents()) {
    w_.events.Push({end_ps, EventKind::kKernelDone, kernel});
  } else {
    w_.kernel_ends.Add(device, end_ps);
  }
  if (is_recorded()) {
    recorder_->ops[At(kernel)] =
        OpSpan{DeviceId(device), SimTime{run_.now_ps}, SimTime{run_.now_ps + duration_ps}};
  }
  return true;
}

// Most often that is one.
template <EngineParts kParts>
void Execution<kParts>::FinishKernels(bool is_alone) {
  const std::int32_t kernel = w_.devices[w_.kernel_ends.Pop()].running;
  if (w_.kernel_ends.next_ps() != run_.now_ps) [[likely]] {
    FinishKernel(kernel, is_alone);
  } else {
    FinishTogether(kernel);
  }
}

template <EngineParts kParts>
void Execution<kParts>::FinishTogether(std::int32_t first) {
  w_.finished.clear();
  w_.finished.push_back(first);
  while (w_.kernel_ends.next_ps() == run_.now_ps) {
    w_.finished.push_back(w_.devices[w_.kernel_ends.Pop()].running);
  }
  std::ranges::sort(w_.finished);
  for (const std::int32_t kernel : w_.finished) {
    FinishKernel(kernel);
  }
}

template <EngineParts kParts>
void Execution<kParts>::FinishKernel(std::int32_t kernel, bool is_alone) {
  const KernelState& state = w_.kernels[At(kernel)];
  const std::int32_t device = state.device;
  DeviceState& device_state = w_.devices[At(device)];
  device_state.running = DeviceState::kNone;
  InsertBit(View(w_.idle_devices), At(device));
  if (kParts.options && p_.rules.gap_after_op_ps > 0 && state.duration_ps > 0) {
    device_state.running = DeviceState::kResting;
    RemoveBit(View(w_.idle_devices), At(device));
    w_.events.Push({run_.now_ps + p_.rules.gap_after_op_ps, EventKind::kDeviceRested, device});
  }
  run_.end_ps = run_.now_ps;
  ++run_.num_done;
  if (looks_ahead_) {
    PrefetchAhead();
  }
  if (history_ != nullptr) {
    history_->finish_ps[At(kernel)] = run_.now_ps;
  }
  const Kernel& finished = g_.kernels[At(kernel)];
  FreeBytes(At(device), finished.workspace_bytes);
  const std::int32_t end = g_.kernels[At(kernel) + 1].first_output;
  is_alone = is_alone && end - finished.first_output == 1;
  for (std::int32_t tensor = finished.first_output; tensor < end; ++tensor) {
    PublishOutput(tensor, device, is_alone);
  }
  if (!g_.control_consumers.empty()) {
    SignalControl(kernel, device);
  }
  ReleaseInputs(kernel, At(device));
}

template <EngineParts kParts>
void Execution<kParts>::ReleaseInputs(std::int32_t kernel, std::size_t device) {
  const std::int32_t end = g_.kernels[At(kernel) + 1].first_input;
  for (std::int32_t i = g_.kernels[At(kernel)].first_input; i < end; ++i) {
    const std::int32_t edge = g_.input_edges[At(i)];
    const std::int32_t storage = w_.storage_of_edge[At(edge)];
    std::int32_t num_copies = 1;
    if (is_one_per(OnePer::kEdge)) {
      const bool is_copy = At(storage) >= g_.num_tensors && At(storage) + 1 < w_.storages.size();
      const bool is_own = is_copy && w_.transfers[At(storage) - g_.num_tensors].edge == edge;
      num_copies = is_own ? g_.edge_uses[At(edge)] : 1;
    }
    // Rules placeto keep every output where it was made.
    const std::size_t holder =
        is_placeto() ? At(w_.kernels[At(g_.edge_producer[At(edge)])].device) : device;
    for (std::int32_t copy = 0; copy < num_copies; ++copy) {
      Release(storage + copy, holder);
    }
  }
}

template <EngineParts kParts>
void Execution<kParts>::CountDown(std::int32_t kernel) {
  if (--w_.kernels[At(kernel)].pending == 0) {
    Issue(kernel);
  }
}

// Of a kernel whose inputs are all there.
template <EngineParts kParts>
void Execution<kParts>::Issue(std::int32_t kernel) {
  if (kParts.options && p_.rules.dispatch_ps > 0) {
    const std::int64_t issued_ps = p_.rules.dispatch_ps * (kernel + 1);
    if (issued_ps > run_.now_ps) {
      w_.ready_instant[At(kernel)] = run_.instant;
      ++w_.devices[At(w_.kernels[At(kernel)].device)].num_unissued;
      w_.events.Push({issued_ps, EventKind::kKernelIssued, kernel});
      return;
    }
  }
  Enqueue(kernel, NextEntry());
}

template <EngineParts kParts>
void Execution<kParts>::IssueReleased(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Issue(w_.released[i]);
  }
}

template <EngineParts kParts>
void Execution<kParts>::Enqueue(std::int32_t kernel, std::uint32_t ready_instant) {
  const KernelState& state = w_.kernels[At(kernel)];
  PrefetchTensors(g_.kernels[At(kernel)]);
  q_.ready.Push(At(state.device), {Key::Of(state.priority_part, ready_instant, kernel)});
  InsertBit(View(w_.ready_devices), At(state.device));
}

template <EngineParts kParts>
auto Execution<kParts>::PopReady(std::size_t device) -> ReadyKernel<Key> {
  const ReadyKernel<Key> first = q_.ready.Pop(device);
  RemoveBitIf(q_.ready.empty(device), View(w_.ready_devices), device);
  return first;
}

SimResult ExecutePrepared(const LoweredProblem& problem,
                          const Plan& plan,
                          Workspace& workspace,
                          const RunOptions& options) {
  const auto execute = [&]<EngineParts kParts>() {
    return Execution<kParts>(problem, plan, workspace, options).Execute();
  };
  if (!workspace.keys.is_narrow) {
    return execute.template operator()<EngineParts{}>();
  }
  if (problem.rules.flows) {
    return execute.template operator()<EngineParts{.fair_sharing = true, .options = false}>();
  }
  return execute.template operator()<EngineParts{.fair_sharing = false, .options = false}>();
}

}  // namespace opyard::sim
