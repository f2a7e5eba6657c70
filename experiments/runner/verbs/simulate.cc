#include "experiments/runner/verbs/simulate.h"

#include "env/problem.h"
#include "experiments/runner/figures.h"
#include "experiments/runner/report_json.h"
#include "experiments/runner/table.h"
#include "graphs/graph_source.h"
#include "sim/engine/simulator.h"
#include "sim/engine/workspace.h"
#include "sim/io/plan_json.h"
#include "sim/io/profile_yaml.h"

namespace opyard::experiments {
namespace {

std::string Percent(SimTime part, SimTime whole) {
  const double share = whole.picoseconds == 0 ? 0.0 : part.seconds() / whole.seconds();
  return Fixed(100.0 * share, 1) + " %";
}

void PrintFailure(const sim::OutOfMemoryReport& failure, std::ostream& out) {
  out << "out of memory on " << failure.device << " at " << Milliseconds(failure.time) << ": "
      << OneLine(failure.what) << " asked for " << BytesText(failure.requested) << " with "
      << BytesText(failure.in_use) << " of " << BytesText(failure.capacity) << " in use\n";
  for (const sim::Resident& resident : failure.largest_residents) {
    out << "  " << OneLine(resident.name) << ": " << BytesText(resident.bytes) << '\n';
  }
}

void PrintDeadlock(const sim::DeadlockReport& deadlock, std::ostream& out) {
  out << "nothing could go on: " << deadlock.num_waits << " wait for memory\n";
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
  for (const sim::DeviceReport& device : report.devices) {
    table.AddRow({OneLine(device.name),
                  Milliseconds(device.busy),
                  Percent(device.busy, report.result.makespan),
                  BytesText(device.peak_memory),
                  BytesText(device.capacity)});
  }
  return table.Text();
}

std::string ChannelTable(const sim::SimReport& report) {
  TextTable table({{.title = "channel"},
                   {.title = "busy", .align = Align::kRight},
                   {.title = "share", .align = Align::kRight},
                   {.title = "bytes", .align = Align::kRight}});
  for (const sim::ChannelReport& channel : report.channels) {
    table.AddRow({OneLine(channel.name),
                  Milliseconds(channel.busy),
                  Percent(channel.busy, report.result.makespan),
                  BytesText(channel.bytes)});
  }
  return table.Text();
}

std::string OpTable(const sim::SimReport& report, const env::Problem& problem) {
  TextTable table({{.title = "op"},
                   {.title = "device"},
                   {.title = "start", .align = Align::kRight},
                   {.title = "finish", .align = Align::kRight}});
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    const std::string name = OneLine(problem.graph().op(OpId{i}).name);
    if (const auto& span = report.ops[i]) {
      table.AddRow({name,
                    OneLine(problem.hardware().devices[span->device.index()].name),
                    Milliseconds(span->start),
                    Milliseconds(span->finish)});
    } else {
      table.AddRow({name, "never ran", "", ""});
    }
  }
  return table.Text();
}

void PrintText(const sim::SimReport& report,
               const env::Problem& problem,
               const SimulateOptions& options,
               std::ostream& out) {
  out << sim::NameOf(report.result.outcome) << ": " << Milliseconds(report.result.makespan)
      << "; lower bounds " << Milliseconds(report.plan_bound) << " (this plan) and "
      << Milliseconds(report.problem_bound) << " (any plan); " << report.result.num_transfers
      << " transfers\n";
  if (report.failure.has_value()) {
    PrintFailure(*report.failure, out);
  }
  if (report.deadlock.has_value()) {
    PrintDeadlock(*report.deadlock, out);
  }
  out << '\n' << DeviceTable(report);
  if (!report.channels.empty()) {
    out << '\n' << ChannelTable(report);
  }
  if (options.ops) {
    out << '\n' << OpTable(report, problem);
  }
}

}  // namespace

int Simulate(const SimulateOptions& options, const Console& console) {
  const env::Problem problem(
      {.graph = graphs::LoadGraph(options.graph), .hardware = sim::LoadMachine(options.hardware)});
  const sim::Plan plan = sim::ReadPlanFile(options.plan, problem.graph(), problem.hardware());
  sim::Workspace workspace;
  const sim::SimReport report = problem.simulator().RunReport(plan, workspace);
  if (options.json) {
    console.out << ReportJson(report,
                              plan,
                              problem.graph(),
                              problem.hardware(),
                              options.ops ? OpDetail::kWithOps : OpDetail::kWithoutOps)
                << '\n';
  } else {
    PrintText(report, problem, options, console.out);
  }
  return report.result.outcome == sim::Outcome::kCompleted ? kSuccess : kAnswerIsNo;
}

}  // namespace opyard::experiments
