#include "experiments/runner/verbs/simulate.h"

#include <memory>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "experiments/explain/explanation.h"
#include "experiments/explain/explanation_json.h"
#include "experiments/explain/explanation_text.h"
#include "experiments/explain/gantt.h"
#include "experiments/explain/report_json.h"
#include "experiments/runner/console/notice_printing.h"
#include "experiments/runner/console/out_file.h"
#include "experiments/runner/graphs/import_text.h"
#include "experiments/runner/graphs/measured_text.h"
#include "experiments/runner/graphs/plan_reading.h"
#include "experiments/text/figures.h"
#include "experiments/text/table.h"
#include "experiments/text/terminal.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/trace/critical_path.h"
#include "sim/trace/perfetto.h"
#include "sim/trace/timeline.h"

namespace opyard::experiments {
namespace {

void PrintFailure(const sim::OutOfMemoryReport& failure, std::ostream& out) {
  out << "out of memory on " << OneLine(failure.device) << " at " << TimeText(failure.time) << ": "
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

std::string OpTable(const sim::SimReport& report, const env::Problem& problem) {
  TextTable table({{.title = "op"},
                   {.title = "device"},
                   {.title = "start", .align = Align::kRight},
                   {.title = "finish", .align = Align::kRight}});
  const TimeUnit unit = UnitOf(report.result.makespan);
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    const std::string name = OneLine(problem.graph().op(OpId{i}).name);
    if (const auto& span = report.ops[i]) {
      table.AddRow({name,
                    OneLine(problem.hardware().devices[span->device.index()].name),
                    TimeText(span->start, unit),
                    TimeText(span->finish, unit)});
    } else {
      table.AddRow({name, "never ran", "", ""});
    }
  }
  return table.Text();
}

void PrintText(const sim::SimulatedStep& step,
               const env::Problem& problem,
               const SimulateOptions& options,
               std::ostream& out) {
  const sim::SimReport& report = step.report;
  out << sim::NameOf(report.result.outcome) << ": " << TimeText(report.result.makespan)
      << "; lower bounds " << TimeText(report.plan_bound) << " (this plan) and "
      << TimeText(report.problem_bound) << " (any plan); " << report.result.num_transfers
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

// The path of a step that completed, else nothing.
std::vector<sim::CriticalPart> PathOf(const sim::SimulatedStep& step,
                                      const sim::Timeline& timeline) {
  if (timeline.outcome != sim::Outcome::kCompleted) {
    return {};
  }
  return sim::CriticalPath(timeline, step.hardware);
}

// Writes the trace and draws the picture, as far as they are asked for.
void ShowTimeline(const SimulateOptions& options,
                  const sim::SimulatedStep& step,
                  const OutFile& trace) {
  if (!options.trace.has_value() && !options.gantt) {
    return;
  }
  const sim::Timeline timeline = sim::BuildTimeline(step);
  const std::vector<sim::CriticalPart> path = PathOf(step, timeline);
  if (options.trace.has_value()) {
    trace.Write([&](std::ostream& file) { sim::WriteTraceEvents(step, timeline, path, file); });
  }
  if (options.gantt) {
    Terminal terminal = DescribeTerminal(trace.text_is_terminal());
    terminal.columns = static_cast<std::size_t>(
        options.width.value_or(static_cast<std::int64_t>(terminal.columns)));
    trace.text() << '\n' << GanttText(step, timeline, path, terminal);
  }
}

std::size_t NumKernels(const sim::SimReport& report) {
  return std::set(report.groups.begin(), report.groups.end()).size();
}

// A plan without fusion priorities never fuses, while agents' plans do: says so where it could.
void NoteFusion(const env::Problem& problem,
                const sim::Plan& plan,
                sim::Workspace& workspace,
                const NoticeListener& notices) {
  if (!plan.fusion_priority.empty() || problem.default_fusion_priority().empty()) {
    return;
  }
  sim::Plan fused = plan;
  fused.fusion_priority = problem.default_fusion_priority();
  const sim::SimReport report = problem.simulator().RunReport(fused, workspace);
  const std::size_t num_ops = problem.graph().num_ops();
  if (NumKernels(report) == num_ops) {
    return;
  }
  notices({.kind = NoticeKind::kNote,
           .text = "the plan has no fusion_priority, so nothing is fused; with 1 for every op " +
                   std::to_string(num_ops) + " ops are " + std::to_string(NumKernels(report)) +
                   " kernels, " + sim::NameOf(report.result.outcome) + ": " +
                   TimeText(report.result.makespan) + "\n"});
}

}  // namespace

int Simulate(const SimulateOptions& options, const Console& console) {
  const OutFile trace(options.trace.value_or(""), console);
  if (options.json) {
    trace.RefuseJson("--trace");
  }
  const NoticeListener notices = NoticesOn(console);
  const auto problem = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = LoadGraph(options.graph, notices),
                       .hardware = sim::LoadMachine(options.hardware),
                       .decide_per = env::DecidePer::kOp});
  WarnOfMeasured(options.graph, *problem, notices);
  const sim::Plan plan = LoadPlan(options.plan, problem->graph(), problem->hardware(), notices);
  sim::Workspace workspace;
  const sim::SimReport report = problem->simulator().RunReport(plan, workspace);
  NoteFusion(*problem, plan, workspace, notices);
  const sim::SimulatedStep step{.graph = problem->graph(),
                                .hardware = problem->hardware(),
                                .routes = problem->routes(),
                                .plan = plan,
                                .report = report};
  std::optional<Explanation> explanation;
  if (options.explain) {
    explanation = Explain(
        problem,
        step,
        {.num_threads = env::ThreadPool::DefaultNumThreads(), .interrupt = &console.interrupt});
  }
  if (options.json) {
    nlohmann::ordered_json json =
        ReportObject(report,
                     plan,
                     problem->graph(),
                     problem->hardware(),
                     options.ops ? OpDetail::kWithOps : OpDetail::kWithoutOps);
    if (explanation.has_value()) {
      json["explanation"] = ExplanationJson(step, *explanation);
    }
    console.out << json.dump() << '\n';
  } else {
    PrintText(step, *problem, options, trace.text());
    if (explanation.has_value()) {
      trace.text() << '\n' << ExplanationText(step, *explanation);
    }
  }
  ShowTimeline(options, step, trace);
  if (explanation.has_value() && explanation->was_interrupted()) {
    console.err << "interrupted: not all changes of the plan were tried\n";
    return kInterrupted;
  }
  return report.result.outcome == sim::Outcome::kCompleted ? kSuccess : kAnswerIsNo;
}

}  // namespace opyard::experiments
