#include "experiments/explain/report_text.h"

#include <ostream>
#include <sstream>

#include "experiments/text/measured_coverage.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {
namespace {

void PrintFailure(const sim::OutOfMemoryReport& failure, std::ostream& out) {
  const std::string pool =
      failure.memory_pool.empty() ? "" : " (memory pool " + OneLine(failure.memory_pool) + ")";
  out << "out of memory on " << OneLine(failure.device) << pool << " at " << TimeText(failure.time)
      << ": " << OneLine(failure.what) << " asked for " << BytesText(failure.requested) << " with "
      << BytesText(failure.in_use) << " of " << BytesText(failure.capacity) << " in use\n";
  for (const sim::Resident& resident : failure.largest_residents) {
    out << "  " << OneLine(resident.name) << ": " << BytesText(resident.bytes) << '\n';
  }
}

void PrintDeadlock(const sim::DeadlockReport& deadlock, std::ostream& out) {
  if (!deadlock.cycle.empty()) {
    out << "the order can never go on: " << OneLine(deadlock.cycle) << '\n';
    return;
  }
  out << "nothing could go on: " << deadlock.num_waits << " waits\n";
  for (const std::string& wait : deadlock.waits) {
    out << "  " << OneLine(wait) << '\n';
  }
}

std::string DeviceTable(const sim::SimReport& report) {
  TextTable table({{.title = "device"},
                   {.title = "busy", .align = Align::kRight},
                   {.title = "share", .align = Align::kRight},
                   {.title = "peak memory", .align = Align::kRight},
                   {.title = "capacity", .align = Align::kRight}});
  const TimeUnit unit = UnitOf(report.result.makespan);
  for (const sim::DeviceReport& device : report.devices) {
    table.AddRow({OneLine(device.name),
                  TimeText(device.busy, unit),
                  PercentText(device.busy, report.result.makespan),
                  BytesText(device.peak_memory),
                  BytesText(device.capacity)});
  }
  return table.Text();
}

std::string PoolTable(const sim::SimReport& report) {
  TextTable table({{.title = "memory pool"},
                   {.title = "peak memory", .align = Align::kRight},
                   {.title = "capacity", .align = Align::kRight}});
  for (const sim::MemoryPoolReport& pool : report.memory_pools) {
    table.AddRow({OneLine(pool.name), BytesText(pool.peak_memory), BytesText(pool.capacity)});
  }
  return table.Text();
}

std::string ChannelTable(const sim::SimReport& report) {
  TextTable table({{.title = "channel"},
                   {.title = "busy", .align = Align::kRight},
                   {.title = "share", .align = Align::kRight},
                   {.title = "bytes", .align = Align::kRight}});
  const TimeUnit unit = UnitOf(report.result.makespan);
  for (const sim::ChannelReport& channel : report.channels) {
    table.AddRow({OneLine(channel.name),
                  TimeText(channel.busy, unit),
                  PercentText(channel.busy, report.result.makespan),
                  BytesText(channel.bytes)});
  }
  return table.Text();
}

std::string OpTable(const sim::SimulatedStep& step) {
  const sim::SimReport& report = step.report;
  TextTable table({{.title = "op"},
                   {.title = "device"},
                   {.title = "start", .align = Align::kRight},
                   {.title = "finish", .align = Align::kRight}});
  const TimeUnit unit = UnitOf(report.result.makespan);
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    const std::string name = OneLine(step.graph.op(OpId{i}).name);
    if (const auto& span = report.ops[i]) {
      table.AddRow({name,
                    OneLine(step.hardware.devices[span->device.index()].name),
                    TimeText(span->start, unit),
                    TimeText(span->finish, unit)});
    } else {
      table.AddRow({name, "never ran", "", ""});
    }
  }
  return table.Text();
}

}  // namespace

std::string IncompleteText(const sim::SimReport& report) {
  std::ostringstream out;
  if (report.failure.has_value()) {
    PrintFailure(*report.failure, out);
  }
  if (report.deadlock.has_value()) {
    PrintDeadlock(*report.deadlock, out);
  }
  return out.str();
}

std::string ReportText(const sim::SimulatedStep& step,
                       OpDetail detail,
                       const std::vector<MemoryNeed>& needs) {
  const sim::SimReport& report = step.report;
  std::ostringstream out;
  const std::string mixed = MixedTimesText(MeasuredCoverageOf(step.graph, step.hardware));
  out << sim::NameOf(report.result.outcome) << ": " << TimeText(report.result.makespan)
      << "; lower bounds " << TimeText(report.plan_bound) << " (this plan) and "
      << TimeText(report.problem_bound) << " (any plan)"
      << (mixed.empty() ? "" : ", which " + mixed) << "; " << report.result.num_transfers
      << " transfers\n"
      << IncompleteText(report);
  if (report.failure.has_value() && !needs.empty()) {
    out << "without limits the plan " << NeedsText(needs) << "; the whole graph "
        << OneDeviceText(step.graph) << '\n';
  }
  out << '\n' << DeviceTable(report);
  if (!report.memory_pools.empty()) {
    out << '\n' << PoolTable(report);
  }
  if (!report.channels.empty()) {
    out << '\n' << ChannelTable(report);
  }
  if (detail == OpDetail::kWithOps) {
    out << '\n' << OpTable(step);
  }
  return out.str();
}

}  // namespace opyard::experiments
