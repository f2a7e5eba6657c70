#include "sim/engine/report/report.h"

#include <algorithm>
#include <set>
#include <string>

#include "sim/analysis/bounds.h"
#include "sim/base/array_index.h"
#include "sim/engine/report/pool_bound.h"
#include "sim/engine/report/record_names.h"
#include "sim/engine/report/residents.h"
#include "sim/engine/report/turn_waits.h"
#include "sim/engine/run/pool_accounts.h"
#include "sim/plan/order_cycle.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostWaits = 20;

// Builds the parts of one report.
class ReportBuilder {
 public:
  ReportBuilder(const LoweredProblem& problem, const Workspace& workspace, const Recorder& recorder)
      : p_(problem),
        g_(*workspace.prepared.graph),
        w_(workspace),
        recorder_(recorder),
        names_(problem, workspace) {}

  [[nodiscard]] std::vector<DeviceReport> Devices(SimTime makespan) const {
    std::vector<DeviceReport> reports;
    for (std::size_t d = 0; d < p_.num_devices; ++d) {
      const MemoryLedger::Account& account = w_.state.memory.account(d);
      const ActivityClock& clock = recorder_.devices[d];
      const auto spent = [&](Activity activity) {
        return clock.Until(activity, makespan.picoseconds);
      };
      reports.push_back({.name = p_.hardware->devices[d].name,
                         .busy = spent(Activity::kBusy),
                         .idle_no_ready_work = spent(Activity::kNoReadyWork),
                         .idle_waiting_for_memory = spent(Activity::kMemory),
                         .idle_stream_head = spent(Activity::kStreamHead),
                         .idle_dispatch = spent(Activity::kDispatch),
                         .idle_gap = spent(Activity::kGap),
                         .peak_memory = Bytes{account.peak},
                         .peak_instant = SimTime{account.peak_ps},
                         .capacity = p_.hardware->capacity(DeviceId(d))});
    }
    for (std::size_t k = 0; k < p_.num_ops; ++k) {
      reports[At(DeviceOfOp(k))].resident += Bytes{p_.param_bytes[k]};
    }
    return reports;
  }

  [[nodiscard]] std::vector<ChannelReport> Channels(SimTime end) const {
    std::vector<ChannelReport> reports;
    for (const std::string& name : p_.channel_names) {
      reports.push_back({.name = name});
    }
    std::vector<SimTime> busy_until(reports.size());
    for (const std::int32_t slot : recorder_.transfer_order) {
      const TransferSpan& span = recorder_.transfers[At(slot)];
      for (const std::size_t channel : ChannelsOf(slot)) {
        // Spans come by their start; under fair sharing they overlap.
        const SimTime from = std::max(span.start, busy_until[channel]);
        const SimTime until = std::min(span.finish, end);
        reports[channel].busy += std::max(until, from) - from;
        busy_until[channel] = std::max(busy_until[channel], until);
        reports[channel].bytes += Bytes{g_.tensors[At(w_.state.transfers[At(slot)].tensor)].bytes};
      }
    }
    std::ranges::sort(reports, {}, &ChannelReport::name);
    return reports;
  }

  // A kernel under way at the end of a run that failed ends as if it had its device's memory for
  // itself, if that is later.
  [[nodiscard]] std::vector<std::optional<OpSpan>> Ops(SimTime end) const {
    std::vector<std::optional<OpSpan>> spans(p_.num_ops);
    for (std::size_t k = 0; k < p_.num_ops; ++k) {
      const std::size_t kernel = w_.prepared.KernelOf(k);
      std::optional<OpSpan>& span = spans[p_.op_of[k].index()];
      span = recorder_.ops[kernel];
      if (span.has_value() && IsRunning(p_, w_, kernel)) {
        span->finish = std::max(span->finish, end);
      }
    }
    return spans;
  }

  [[nodiscard]] std::vector<SimTime> BandwidthWaits() const {
    std::vector<SimTime> waits(p_.pools.empty() ? 0 : p_.num_ops);
    for (std::size_t k = 0; k < waits.size(); ++k) {
      const std::size_t kernel = w_.prepared.KernelOf(k);
      if (const std::optional<OpSpan>& span = recorder_.ops[kernel]) {
        const SimTime alone{w_.state.kernels[kernel].duration_ps};
        waits[p_.op_of[k].index()] = span->finish - span->start - alone;
      }
    }
    return waits;
  }

  [[nodiscard]] std::vector<MemoryPoolReport> MemoryPools() const {
    std::vector<MemoryPoolReport> reports;
    for (std::size_t pool = 0; pool < p_.pools.num_pools(); ++pool) {
      const MemoryLedger::Account& account = w_.state.pool_memory.account(pool);
      reports.push_back({.name = p_.hardware->memory_pools[pool].name,
                         .peak_memory = Bytes{account.peak},
                         .peak_instant = SimTime{account.peak_ps},
                         .capacity = p_.hardware->pool_capacity(pool)});
    }
    return reports;
  }

  [[nodiscard]] std::vector<std::int32_t> Groups() const {
    std::vector<std::int32_t> groups(p_.num_ops);
    for (std::size_t k = 0; k < p_.num_ops; ++k) {
      groups[p_.op_of[k].index()] = names_.FirstOp(w_.prepared.KernelOf(k));
    }
    return groups;
  }

  [[nodiscard]] std::vector<OpId> StartOrder() const {
    std::vector<OpId> ops;
    for (const std::int32_t kernel : recorder_.kernel_order) {
      if (w_.prepared.fused != nullptr) {
        for (const std::int32_t op : w_.prepared.fused->kernels.ops_of(At(kernel))) {
          ops.push_back(p_.op_of[At(op)]);
        }
      } else {
        ops.push_back(p_.op_of[At(kernel)]);
      }
    }
    return ops;
  }

  [[nodiscard]] std::vector<TransferSpan> Transfers(SimTime end) const {
    std::vector<TransferSpan> spans;
    for (const std::int32_t slot : recorder_.transfer_order) {
      TransferSpan span = recorder_.transfers[At(slot)];
      span.tensor = p_.tensor_of[span.tensor.index()];
      span.finish = span.finish == Recorder::kUnknown ? end : span.finish;
      spans.push_back(span);
    }
    return spans;
  }

  [[nodiscard]] DeadlockReport Deadlock(SimTime time, const Plan& plan) const {
    DeadlockReport report{.time = time};
    for (std::size_t d = 0; d < p_.num_devices; ++d) {
      AddWaitingOps(d, report);
    }
    for (const WaitingTransfer<WideKey>& waiting : w_.state.wide_queues.scanned) {
      const ActiveTransfer& transfer = w_.state.transfers[At(waiting.slot)];
      if (const auto wait = WaitForTurn(p_, w_, plan, waiting.slot)) {
        AddSentence(*wait, report);
        continue;
      }
      AddWait("copy of " + names_.OfTensor(transfer.tensor),
              transfer.dst,
              g_.tensors[At(transfer.tensor)].bytes,
              report);
    }
    return report;
  }

  [[nodiscard]] OutOfMemoryReport Failure(const FailedAllocation& failure) const {
    const MemoryLedger::Account& account = AccountOf(p_, w_.state, At(failure.device));
    const bool is_at_start = failure.what == FailedAllocation::What::kParams;
    const std::size_t end_of_params = is_at_start ? At(failure.subject) : p_.num_ops;
    return {.device = p_.hardware->devices[At(failure.device)].name,
            .memory_pool = PoolName(failure.device),
            .time = SimTime{failure.time_ps},
            .what = What(failure),
            .requested = Bytes{failure.bytes},
            .in_use = Bytes{account.in_use},
            .capacity = Bytes{account.capacity},
            .largest_residents =
                FindResidents(p_, w_, recorder_, DevicesBeside(failure.device), end_of_params)};
  }

 private:
  void AddWaitingOps(std::size_t device, DeadlockReport& report) const {
    for (std::size_t k = 0; k < g_.num_kernels; ++k) {
      const bool waits = w_.state.kernels[k].device == static_cast<std::int32_t>(device) &&
                         w_.state.kernels[k].pending == 0 && !recorder_.ops[k].has_value();
      if (waits && !IsHeld(k)) {
        AddWait("op " + names_.OfKernel(k),
                static_cast<std::int32_t>(device),
                g_.kernels[k].start_bytes,
                report);
      }
    }
  }

  // True for a kernel that waits behind the head of its stream.
  [[nodiscard]] bool IsHeld(std::size_t kernel) const {
    return w_.prepared.has_streams() && w_.state.turns[kernel] == Turn::kIssued;
  }

  void AddWait(const std::string& what,
               std::int32_t device,
               std::int64_t bytes,
               DeadlockReport& report) const {
    const MemoryLedger::Account& account = AccountOf(p_, w_.state, At(device));
    const std::string pool = PoolName(device);
    AddSentence(what + " on " + p_.hardware->devices[At(device)].name + " waits for " +
                    std::to_string(bytes) + " bytes" +
                    (pool.empty() ? "" : " of memory pool " + pool) + ": " +
                    std::to_string(account.in_use) + " of " + std::to_string(account.capacity) +
                    " are in use",
                report);
  }

  // The name of the device's memory pool, or "".
  [[nodiscard]] std::string PoolName(std::int32_t device) const {
    const std::int32_t pool = p_.hardware->devices[At(device)].memory_pool;
    return pool == Device::kNoMemoryPool ? "" : p_.hardware->memory_pools[At(pool)].name;
  }

  // The devices that share the memory of `device`, itself included.
  [[nodiscard]] std::vector<DeviceId> DevicesBeside(std::int32_t device) const {
    const std::int32_t pool = p_.hardware->devices[At(device)].memory_pool;
    return pool == Device::kNoMemoryPool ? std::vector<DeviceId>{DeviceId(device)}
                                         : p_.hardware->DevicesOfPool(At(pool));
  }

  static void AddSentence(const std::string& sentence, DeadlockReport& report) {
    ++report.num_waits;
    if (report.waits.size() < kMostWaits) {
      report.waits.push_back(sentence);
    }
  }

  // The channels that the transfer led by `slot` occupies, each once.
  [[nodiscard]] std::set<std::size_t> ChannelsOf(std::int32_t slot) const {
    std::set<std::size_t> channels;
    for (std::int32_t copy = slot; copy < slot + w_.state.transfers[At(slot)].num_copies; ++copy) {
      const ActiveTransfer& transfer = w_.state.transfers[At(copy)];
      const LoweredRoute& route = p_.route(transfer.src, transfer.dst);
      for (std::int32_t i = 0; i < route.num_channels; ++i) {
        channels.insert(At(p_.route_channels[At(route.first_channel + i)]));
      }
    }
    return channels;
  }

  [[nodiscard]] std::int32_t DeviceOfOp(std::size_t op) const {
    return w_.state.kernels[w_.prepared.KernelOf(op)].device;
  }

  [[nodiscard]] std::string What(const FailedAllocation& failure) const {
    switch (failure.what) {
      case FailedAllocation::What::kParams:
        return "parameters of " + names_.OfOp(failure.subject);
      case FailedAllocation::What::kKernel:
        return "op " + names_.OfKernel(At(failure.subject));
      case FailedAllocation::What::kCopy:
        return "copy of " + names_.OfTensor(failure.subject);
    }
    return "";
  }

  const LoweredProblem& p_;
  const KernelGraph& g_;
  const Workspace& w_;
  const Recorder& recorder_;
  const RecordNames names_;
};

// "" if the orders of streams and channels have none.
std::string OrderCycle(const LoweredProblem& problem, const Plan& plan) {
  const std::vector<OrderWait> cycle = FindOrderCycle(*problem.graph, plan);
  return cycle.empty() ? "" : CycleText(*problem.graph, *problem.hardware, cycle);
}

}  // namespace

SimTime BoundOfPreparedPlan(const LoweredProblem& problem,
                            const Plan& plan,
                            const Workspace& workspace) {
  const SimTime pools = PoolBound(problem, workspace);
  if (workspace.prepared.fused == nullptr) {
    return std::max(pools, PlanBound(*problem.graph, *problem.hardware, *problem.costs, plan));
  }
  std::vector<PlacedKernel> placed;
  const std::vector<std::int64_t>& release_ps = workspace.prepared.graph->release_ps;
  for (std::size_t k = 0; k < workspace.state.kernels.size(); ++k) {
    const KernelState& kernel = workspace.state.kernels[k];
    placed.push_back({.time = SimTime{kernel.duration_ps},
                      .device = DeviceId(At(kernel.device)),
                      .release = SimTime{release_ps.empty() ? 0 : release_ps[k]}});
  }
  return std::max(pools,
                  PlanBound(problem.fusion,
                            workspace.prepared.fused->kernels,
                            placed,
                            RunsOneOpAtATime(*problem.hardware, plan.queue)));
}

SimReport BuildReport(const LoweredProblem& problem,
                      const Plan& plan,
                      const SimResult& result,
                      const Workspace& workspace,
                      const Recorder& recorder) {
  const ReportBuilder builder(problem, workspace, recorder);
  SimReport report{.result = result,
                   .plan_bound = BoundOfPreparedPlan(problem, plan, workspace),
                   .problem_bound = {},
                   .devices = builder.Devices(result.makespan),
                   .memory_pools = builder.MemoryPools(),
                   .channels = builder.Channels(result.makespan),
                   .ops = builder.Ops(result.makespan),
                   .groups = builder.Groups(),
                   .start_order = builder.StartOrder(),
                   .bandwidth_waits = builder.BandwidthWaits(),
                   .transfers = builder.Transfers(result.makespan),
                   .memory = recorder.memory,
                   .failure = std::nullopt,
                   .deadlock = std::nullopt};
  if (result.outcome == Outcome::kDeadlock) {
    report.deadlock = builder.Deadlock(result.makespan, plan);
    report.deadlock->cycle = OrderCycle(problem, plan);
  }
  if (recorder.failure.has_value()) {
    report.failure = builder.Failure(*recorder.failure);
  }
  return report;
}

}  // namespace opyard::sim
