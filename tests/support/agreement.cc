#include "tests/support/agreement.h"

#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/hardware/routes.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using Lines = std::vector<std::string>;

std::string Text(std::int64_t value) {
  return std::to_string(value);
}
std::string Text(SimTime time) {
  return std::to_string(time.picoseconds) + " ps";
}
std::string Text(Bytes bytes) {
  return std::to_string(bytes.count) + " B";
}
std::string Text(const std::string& text) {
  return text;
}

std::string Text(const sim::TransferSpan& transfer) {
  return "tensor " + std::to_string(transfer.tensor.value) + " from " +
         std::to_string(transfer.src.value) + " to " + std::to_string(transfer.dst.value) +
         " offered " + Text(transfer.offered) + " start " + Text(transfer.start) + " finish " +
         Text(transfer.finish);
}

template <class T>
void Compare(const std::string& what, const T& engine, const T& reference, Lines& lines) {
  if (engine != reference) {
    lines.push_back(what + ": engine " + Text(engine) + ", reference " + Text(reference));
  }
}

void CompareOps(const sim::SimReport& engine,
                const sim::SimReport& reference,
                const sim::OpGraph& graph,
                Lines& lines) {
  Compare<std::int64_t>("ops reported",
                        static_cast<std::int64_t>(engine.ops.size()),
                        static_cast<std::int64_t>(reference.ops.size()),
                        lines);
  for (std::size_t i = 0; i < std::min(engine.ops.size(), reference.ops.size()); ++i) {
    const std::string& name = graph.op(OpId(i)).name;
    Compare("group of " + name,
            std::int64_t{engine.groups.at(i)},
            std::int64_t{reference.groups[i]},
            lines);
    const auto& [ours, theirs] = std::pair(engine.ops[i], reference.ops[i]);
    if (ours.has_value() != theirs.has_value()) {
      lines.push_back("op " + name +
                      (ours ? " ran in the engine only" : " never ran in the engine"));
    } else if (ours) {
      Compare("device of " + name,
              std::int64_t{ours->device.value},
              std::int64_t{theirs->device.value},
              lines);
      Compare("start of " + name, ours->start, theirs->start, lines);
      Compare("finish of " + name, ours->finish, theirs->finish, lines);
    }
  }
}

void CompareTransfers(const sim::SimReport& engine, const sim::SimReport& reference, Lines& lines) {
  Compare("transfers reported",
          static_cast<std::int64_t>(engine.transfers.size()),
          static_cast<std::int64_t>(reference.transfers.size()),
          lines);
  for (std::size_t i = 0; i < std::min(engine.transfers.size(), reference.transfers.size()); ++i) {
    Compare("transfer " + std::to_string(i), engine.transfers[i], reference.transfers[i], lines);
  }
}

void CompareDevices(const sim::SimReport& engine, const sim::SimReport& reference, Lines& lines) {
  for (std::size_t i = 0; i < reference.devices.size(); ++i) {
    const sim::DeviceReport& ours = engine.devices.at(i);
    const sim::DeviceReport& theirs = reference.devices[i];
    Compare("device name", ours.name, theirs.name, lines);
    Compare("peak of " + ours.name, ours.peak_memory, theirs.peak_memory, lines);
    Compare("peak instant of " + ours.name, ours.peak_instant, theirs.peak_instant, lines);
    Compare("capacity of " + ours.name, ours.capacity, theirs.capacity, lines);
    Compare("resident on " + ours.name, ours.resident, theirs.resident, lines);
    if (!reference.failure) {
      Compare("busy of " + ours.name, ours.busy, theirs.busy, lines);
      Compare("idle of " + ours.name, ours.idle_no_ready_work, theirs.idle_no_ready_work, lines);
      Compare("waiting for memory of " + ours.name,
              ours.idle_waiting_for_memory,
              theirs.idle_waiting_for_memory,
              lines);
      Compare("waiting for the head of a stream of " + ours.name,
              ours.idle_stream_head,
              theirs.idle_stream_head,
              lines);
      Compare(
          "waiting for the host of " + ours.name, ours.idle_dispatch, theirs.idle_dispatch, lines);
      Compare("rest of " + ours.name, ours.idle_gap, theirs.idle_gap, lines);
    }
  }
}

void ComparePools(const sim::SimReport& engine, const sim::SimReport& reference, Lines& lines) {
  Compare("memory pools reported",
          static_cast<std::int64_t>(engine.memory_pools.size()),
          static_cast<std::int64_t>(reference.memory_pools.size()),
          lines);
  for (std::size_t i = 0; i < std::min(engine.memory_pools.size(), reference.memory_pools.size());
       ++i) {
    const sim::MemoryPoolReport& ours = engine.memory_pools[i];
    const sim::MemoryPoolReport& theirs = reference.memory_pools[i];
    Compare("memory pool name", ours.name, theirs.name, lines);
    Compare("peak of " + ours.name, ours.peak_memory, theirs.peak_memory, lines);
    Compare("peak instant of " + ours.name, ours.peak_instant, theirs.peak_instant, lines);
    Compare("capacity of " + ours.name, ours.capacity, theirs.capacity, lines);
  }
}

// By name; a channel that one side does not list has carried nothing.
void CompareChannels(const sim::SimReport& engine, const sim::SimReport& reference, Lines& lines) {
  std::map<std::string, std::pair<sim::ChannelReport, sim::ChannelReport>> by_name;
  for (const sim::ChannelReport& channel : engine.channels) {
    by_name[channel.name].first = channel;
  }
  for (const sim::ChannelReport& channel : reference.channels) {
    by_name[channel.name].second = channel;
  }
  for (const auto& [name, both] : by_name) {
    Compare("busy of " + name, both.first.busy, both.second.busy, lines);
    Compare("bytes over " + name, both.first.bytes, both.second.bytes, lines);
  }
}

// The engine lists the ten largest residents; among equally large ones it may choose.
void CompareResidents(const sim::OutOfMemoryReport& engine,
                      const sim::OutOfMemoryReport& reference,
                      Lines& lines) {
  const std::size_t count = std::min<std::size_t>(10, reference.largest_residents.size());
  Compare("residents listed",
          static_cast<std::int64_t>(engine.largest_residents.size()),
          static_cast<std::int64_t>(count),
          lines);
  for (std::size_t i = 0; i < std::min(count, engine.largest_residents.size()); ++i) {
    const sim::Resident& ours = engine.largest_residents[i];
    Compare("resident " + ours.name, ours.bytes, reference.largest_residents[i].bytes, lines);
    const bool is_known = std::ranges::any_of(reference.largest_residents, [&](const auto& entry) {
      return entry.name == ours.name && entry.bytes == ours.bytes;
    });
    if (!is_known) {
      lines.push_back("resident " + ours.name + " is unknown to the reference");
    }
  }
}

void CompareFailures(const sim::SimReport& engine, const sim::SimReport& reference, Lines& lines) {
  if (engine.failure.has_value() != reference.failure.has_value()) {
    lines.push_back(engine.failure ? "only the engine ran out of memory"
                                   : "only the reference ran out of memory");
  } else if (engine.failure) {
    Compare("failing device", engine.failure->device, reference.failure->device, lines);
    Compare("time of failure", engine.failure->time, reference.failure->time, lines);
    Compare("what failed", engine.failure->what, reference.failure->what, lines);
    Compare("bytes asked", engine.failure->requested, reference.failure->requested, lines);
    Compare("bytes in use", engine.failure->in_use, reference.failure->in_use, lines);
    Compare("capacity", engine.failure->capacity, reference.failure->capacity, lines);
    CompareResidents(*engine.failure, *reference.failure, lines);
  }
}

void CompareDeadlocks(const sim::SimReport& engine, const sim::SimReport& reference, Lines& lines) {
  const bool is_expected = reference.result.outcome == sim::Outcome::kDeadlock;
  if (engine.deadlock.has_value() != is_expected) {
    lines.emplace_back(is_expected ? "the engine explains no deadlock" : "an unasked deadlock");
  } else if (is_expected) {
    Compare("time of deadlock", engine.deadlock->time, reference.result.makespan, lines);
    if (engine.deadlock->waits.empty() && engine.deadlock->cycle.empty()) {
      lines.emplace_back("the engine's deadlock names nothing that waits");
    }
  }
}

void CompareResults(const std::string& path,
                    const sim::SimResult& engine,
                    const sim::SimResult& reference,
                    Lines& lines) {
  Compare(path + ": outcome",
          std::string(sim::NameOf(engine.outcome)),
          std::string(sim::NameOf(reference.outcome)),
          lines);
  Compare(path + ": makespan", engine.makespan, reference.makespan, lines);
  Compare(path + ": peak memory", engine.peak_memory, reference.peak_memory, lines);
  if (reference.outcome == sim::Outcome::kCompleted) {
    Compare(path + ": transfers", engine.num_transfers, reference.num_transfers, lines);
  }
}

// A fair transfer that was under way at the end of the run has no finish yet.
void CutTransfers(sim::SimReport& report) {
  for (sim::TransferSpan& transfer : report.transfers) {
    transfer.finish = std::min(transfer.finish, report.result.makespan);
  }
}

}  // namespace

EngineAndReference::EngineAndReference(std::shared_ptr<const sim::OpGraph> graph,
                                       const sim::HardwareProfile& hardware)
    : graph_(std::move(graph)),
      hardware_(std::make_shared<const sim::HardwareProfile>(hardware)),
      costs_(CostsOf(*graph_, *hardware_)),
      simulator_(std::make_unique<const sim::Simulator>(
          sim::LowerProblem(graph_, hardware_, costs_, sim::RouteTable(*hardware_)))) {}

sim::SimReport EngineAndReference::RunEngine(const sim::Plan& plan,
                                             sim::Workspace& workspace) const {
  return simulator_->RunReport(plan, workspace);
}

std::vector<std::string> EngineAndReference::FindDifferences(const sim::Plan& plan,
                                                             sim::Workspace& workspace) const {
  const sim::SimResult fast = simulator_->Run(plan, workspace);
  sim::SimReport engine = RunEngine(plan, workspace);
  sim::SimReport reference = SimulateSlowly(*graph_, *hardware_, *costs_, plan).report;
  if (reference.failure && hardware_->transfers.sharing == sim::Sharing::kFair) {
    CutTransfers(engine);
    CutTransfers(reference);
  }
  Lines lines;
  CompareResults("fast path", fast, reference.result, lines);
  CompareResults("report", engine.result, reference.result, lines);
  if (fast != engine.result) {
    lines.emplace_back("the fast path and the report of the engine differ");
  }
  CompareOps(engine, reference, *graph_, lines);
  CompareTransfers(engine, reference, lines);
  CompareDevices(engine, reference, lines);
  ComparePools(engine, reference, lines);
  if (!reference.failure) {
    CompareChannels(engine, reference, lines);
  }
  CompareFailures(engine, reference, lines);
  CompareDeadlocks(engine, reference, lines);
  return lines;
}

sim::SimReport Simulate(std::shared_ptr<const sim::OpGraph> graph,
                        const sim::HardwareProfile& hardware,
                        const sim::Plan& plan) {
  const EngineAndReference both(std::move(graph), hardware);
  sim::Workspace workspace;
  for (const std::string& difference : both.FindDifferences(plan, workspace)) {
    ADD_FAILURE() << difference;
  }
  return both.RunEngine(plan, workspace);
}

}  // namespace opyard::testing
