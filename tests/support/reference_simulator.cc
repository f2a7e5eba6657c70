#include "tests/support/reference_simulator.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/support/reference_engine.h"

namespace opyard::testing {
namespace {

using sim::HardwareProfile;
using sim::OpGraph;
using sim::Plan;

void RefuseWhatIsNotCovered(const HardwareProfile& hardware) {
  const bool is_fair_per_output = hardware.transfers.sharing == sim::Sharing::kFair &&
                                  hardware.transfers.one_per == sim::OnePer::kOutput;
  if (hardware.rules == sim::Rules::kPlaceto || is_fair_per_output) {
    throw std::invalid_argument("the reference simulator does not cover these rules");
  }
}

}  // namespace

ReferenceRun ReferenceEngine::Run() {
  QueueSources();
  BookParameters();
  while (!report_.failure) {
    while (Step()) {
    }
    transfers_.ShareBandwidth(now_);
    pools_.ShareAnew(now_);
    const std::optional<SimTime> next = NextInstant();
    if (report_.failure || !next) {
      break;
    }
    NoteIdleUntil(*next);
    now_ = *next;
  }
  Summarize();
  ReferenceRun run{.report = report_};
  if (report_.result.outcome == sim::Outcome::kDeadlock) {
    run.waiting = WhatWaits();
  }
  for (std::size_t device = 0; device < hardware_.num_devices(); ++device) {
    run.in_use_at_end.push_back(memory_.in_use(DeviceId(device)));
  }
  return run;
}

std::vector<std::string> ReferenceEngine::WhatWaits() const {
  std::vector<std::string> waiting;
  for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    const std::string begin = "op " + kernels_[kernel].name + " waits for ";
    for (const auto& [op, is_control, what] : missing_[kernel]) {
      const TensorId input =
          is_control ? TensorId() : graph_.inputs(op)[static_cast<std::size_t>(what)];
      const sim::Tensor& made = graph_.tensor(input);
      waiting.push_back(begin + (is_control ? "op " + graph_.op(OpId(what)).name
                                            : graph_.op(made.producer).name + ":" +
                                                  std::to_string(made.output_index)));
    }
    if (!spans_[kernel] && missing_[kernel].empty() && !HasTurn(kernel)) {
      waiting.push_back(begin + "its turn");
    } else if (!spans_[kernel] && missing_[kernel].empty()) {
      waiting.push_back(begin + Room(kernels_[kernel].device, memory_.NeededBy(kernel)));
    }
  }
  for (const std::size_t id : transfers_.Waiting()) {
    if (!transfers_.HasTurn(id)) {
      waiting.push_back(CopyName(copies_[id]) + " waits for its turn");
      continue;
    }
    const DeviceId full = DeviceWithoutRoom(copies_[id]).value();
    waiting.push_back(CopyName(copies_[id]) + " waits for " + Room(full, copies_[id].bytes));
  }
  return waiting;
}

// "500 bytes on d0"
std::string ReferenceEngine::Room(DeviceId device, Bytes bytes) const {
  return std::to_string(bytes.count) + " bytes on " + hardware_.devices[device.index()].name;
}

SimTime ReferenceEngine::LastCompletion() const {
  const bool gaps_count = hardware_.execution.trailing_gaps_count;
  SimTime last;
  for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
    if (spans_[kernel]) {
      const SimTime gap = gaps_count ? GapAfter(kernel) : SimTime{};
      last = std::max(last, spans_[kernel]->finish + gap);
    }
  }
  for (const sim::TransferSpan& transfer : transfers_.spans()) {
    last = std::max(last, transfer.finish + (gaps_count ? transfers_.gap() : SimTime{}));
  }
  return last;
}

// Every device that does not run rests, or has nothing ready, or waits for the host, for memory or
// for the head of a stream.
void ReferenceEngine::NoteIdleUntil(SimTime until) {
  for (std::size_t device = 0; device < running_.size(); ++device) {
    if (!running_[device].empty()) {
      report_.devices[device].busy += until - now_;
      continue;
    }
    const auto has_any = [&](bool has_turn) {
      return std::ranges::any_of(ready_[device], [&](const ReadyKey& key) {
        const std::size_t kernel = std::get<std::size_t>(key);
        return IssueTime(kernel) <= now_ && HasTurn(kernel) == has_turn;
      });
    };
    SimTime sim::DeviceReport::*reason = &sim::DeviceReport::idle_no_ready_work;
    if (rest_until_[device] > now_) {
      reason = &sim::DeviceReport::idle_gap;
    } else if (has_any(true)) {
      reason = &sim::DeviceReport::idle_waiting_for_memory;
    } else if (has_any(false)) {
      reason = &sim::DeviceReport::idle_stream_head;
    } else if (!ready_[device].empty()) {
      reason = &sim::DeviceReport::idle_dispatch;
    }
    idle_.push_back({.device = device, .start = now_, .finish = until, .reason = reason});
  }
}

void ReferenceEngine::Summarize() {
  sim::SimResult& result = report_.result;
  const bool has_run =
      std::ranges::all_of(report_.ops, [](const auto& op) { return op.has_value(); });
  result.outcome = has_run ? sim::Outcome::kCompleted : sim::Outcome::kDeadlock;
  if (report_.failure) {
    result.outcome = sim::Outcome::kOutOfMemory;
  }
  result.makespan = result.outcome == sim::Outcome::kCompleted ? LastCompletion() : now_;
  const std::vector<std::int32_t> indices = TopologicalIndices(graph_);
  for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
    report_.groups[i] = indices[kernels_[kernels_.Of(OpId(i))].ops.front().index()];
  }
  report_.transfers = transfers_.spans();
  report_.channels = transfers_.Channels();
  report_.memory_pools = memory_.Pools();
  result.num_transfers = static_cast<std::int64_t>(copies_.size());
  for (const Idle& idle : idle_) {  // rests may outlast the makespan
    report_.devices[idle.device].*idle.reason +=
        std::min(idle.finish, result.makespan) - std::min(idle.start, result.makespan);
  }
  for (std::size_t i = 0; i < hardware_.num_devices(); ++i) {
    const DeviceId id(i);
    sim::DeviceReport& device = report_.devices[i];
    device.name = hardware_.devices[i].name;
    device.peak_memory = memory_.peak(id);
    device.peak_instant = memory_.peak_instant(id);
    device.capacity = hardware_.capacity(id);
    device.resident = memory_.resident(id);
    result.peak_memory = std::max(result.peak_memory, device.peak_memory);
  }
}

ReferenceRun SimulateSlowly(const OpGraph& graph,
                            const HardwareProfile& hardware,
                            const sim::CostTable& costs,
                            const Plan& plan) {
  RefuseWhatIsNotCovered(hardware);
  return ReferenceEngine(graph, hardware, costs, plan).Run();
}

}  // namespace opyard::testing
