// The inside of the reference simulator; reference_simulator.h is its face.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_kernels.h"
#include "tests/support/reference_memory.h"
#include "tests/support/reference_pools.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/reference_streams.h"
#include "tests/support/reference_transfers.h"

namespace opyard::testing {

// One run. Time moves from instant to instant; at each, completions are applied, then devices start
// their next op, then transfers start, and again until nothing changes.
class ReferenceEngine {
 public:
  ReferenceEngine(const sim::OpGraph& graph,
                  const sim::HardwareProfile& hardware,
                  const sim::CostTable& costs,
                  const sim::Plan& plan)
      : graph_(graph),
        hardware_(hardware),
        routes_(hardware),
        kernels_(graph, hardware, costs, plan),
        copies_(FindCopies(graph, hardware, routes_, plan, kernels_)),
        memory_(graph, hardware, kernels_, copies_),
        transfers_(hardware, copies_),
        pools_(BandwidthsOfPools(hardware)),
        before_(KernelsBefore(graph, plan, kernels_)),
        has_parallel_streams_(sim::HasStreams(plan.queue) &&
                              hardware.execution.streams == sim::StreamRule::kParallel),
        missing_(kernels_.size()),
        ready_(hardware.num_devices()),
        running_(hardware.num_devices()),
        rest_until_(hardware.num_devices()) {
    report_.ops.resize(graph.num_ops());
    report_.groups.resize(graph.num_ops());
    spans_.resize(kernels_.size());
    report_.devices.resize(hardware.num_devices());
  }

  ReferenceRun Run();

 private:
  // Something that an op waits for: its input at a position, or (true) the end of an op.
  using Need = std::tuple<OpId, bool, std::int32_t>;
  // Order in a ready queue: −priority (0 under FIFO), ready time, kernel.
  using ReadyKey = std::tuple<std::int64_t, SimTime, std::size_t>;
  struct ControlSignal {
    SimTime arrival;
    OpId from;
    OpId to;
  };

  struct Idle {
    std::size_t device = 0;
    SimTime start;
    SimTime finish;
    SimTime sim::DeviceReport::*reason = nullptr;
  };

  [[nodiscard]] static std::vector<double> BandwidthsOfPools(const sim::HardwareProfile& hardware);
  void BookParameters();
  void QueueSources();
  bool Step();
  bool ApplyBodyEnds();
  bool ApplyBodyBegins();
  bool ApplyKernelEnds();
  bool ApplyTransferEnds();
  bool ApplySignals();
  bool ApplyReleases();
  bool StartDevices();
  bool StartTransfers();
  [[nodiscard]] std::optional<SimTime> NextInstant() const;

  void CollectNeeds(OpId op);
  void FinishKernel(std::size_t kernel);
  void PublishOutputs(OpId op);
  void Arrive(const Need& need);
  void EnqueueIfReady(std::size_t kernel);
  void StartKernel(const ReadyKey& key);
  void SetFinish(std::size_t kernel, SimTime finish);
  void ArriveAsInput(TensorId tensor, OpId consumer);
  bool StartFirstThatCan(DeviceId device);
  [[nodiscard]] SimTime SignalLatency(OpId from, OpId to) const;
  [[nodiscard]] SimTime IssueTime(std::size_t kernel) const;
  [[nodiscard]] SimTime GapAfter(std::size_t kernel) const;
  [[nodiscard]] bool HasTurn(std::size_t kernel) const;
  [[nodiscard]] std::vector<std::string> WhatWaits() const;
  [[nodiscard]] std::string Room(DeviceId device, Bytes bytes) const;
  [[nodiscard]] std::string CopyName(const ReferenceCopy& copy) const;
  [[nodiscard]] SimTime LastCompletion() const;
  [[nodiscard]] std::optional<DeviceId> DeviceWithoutRoom(const ReferenceCopy& copy) const;
  void Fail(DeviceId device, const std::string& what, Bytes requested);
  void NoteIdleUntil(SimTime until);
  void Summarize();
  [[nodiscard]] DeviceId DeviceOf(OpId op) const { return kernels_[kernels_.Of(op)].device; }

  const sim::OpGraph& graph_;
  const sim::HardwareProfile& hardware_;
  sim::RouteTable routes_;
  ReferenceKernels kernels_;
  std::vector<ReferenceCopy> copies_;
  ReferenceMemory memory_;
  ReferenceTransfers transfers_;
  ReferencePools pools_;

  SimTime now_;
  std::vector<std::optional<std::size_t>> before_;  // by kernel: the one before it in its stream
  bool has_parallel_streams_;
  std::vector<std::set<Need>> missing_;            // by kernel
  std::set<std::size_t> unreleased_;               // kernels with all inputs before their release
  std::vector<std::optional<sim::OpSpan>> spans_;  // by kernel
  // Kernels that have bodies and have not ended: their finish is not known. When the bodies of
  // those that launch begin.
  std::set<std::size_t> with_bodies_;
  std::map<std::size_t, SimTime> launching_;
  std::vector<std::set<ReadyKey>> ready_;       // [num_devices]
  std::vector<std::set<std::size_t>> running_;  // [num_devices]: kernels
  std::vector<SimTime> rest_until_;             // [num_devices]
  std::vector<ControlSignal> signals_;
  std::vector<Idle> idle_;
  sim::SimReport report_;
};

}  // namespace opyard::testing
