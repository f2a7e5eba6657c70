#include "experiments/cli/simulate.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "experiments/cli/simulated_problem.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/explain/explanation.h"
#include "experiments/explain/explanation_json.h"
#include "experiments/explain/explanation_text.h"
#include "experiments/explain/gantt.h"
#include "experiments/explain/memory_needs.h"
#include "experiments/explain/report_json.h"
#include "experiments/explain/report_text.h"
#include "experiments/graphs/plan_reading.h"
#include "experiments/text/number_format.h"
#include "experiments/text/terminal.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perfetto.h"
#include "sim/analysis/timeline.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::experiments {
namespace {

struct SimulateOptions {
  SimulatedProblemOptions problem;
  std::string plan;                   // a file
  bool ops = false;                   // adds start and finish of each op
  bool explain = false;               // adds why it takes so long and what would change that
  bool gantt = false;                 // adds a picture, not with `json`
  std::optional<std::int64_t> width;  // columns of the picture
  std::optional<std::string> trace;   // writes a trace-event file
  std::optional<std::string> html;    // a page, which the Python command writes
  bool json = false;
};

// kAnswerIsNo if the plan does not complete, kInterrupted if Ctrl-C cut the explanation short.
[[nodiscard]] int Simulate(const SimulateOptions& options, const Console& console);

// The report of `step` and, if there is one, its explanation. `needs` as for ReportObject.
[[nodiscard]] std::string SimulateJson(const sim::SimulatedStep& step,
                                       const std::optional<Explanation>& explanation,
                                       OpDetail detail,
                                       const std::vector<MemoryNeed>& needs);

}  // namespace

void AddSimulateArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(app,
                    {.name = "simulate",
                     .summary = "execute one plan",
                     .examples = "  opyard simulate --graph gnmt2 --hardware p100x2-pcie "
                                 "--plan best.plan.json --explain\n"
                                 "  opyard simulate --graph gnmt2 --hardware p100x2-pcie "
                                 "--plan best.plan.json --trace best.trace.json\n"
                                 "  opyard simulate --graph gnmt2 --hardware p100x2-pcie "
                                 "--plan best.plan.json --html best.html"});
  const auto options = std::make_shared<SimulateOptions>();
  AddSimulatedProblem(subcommand, options->problem);
  subcommand.add_option("--plan", options->plan, "plan file")->required()->type_name("PLAN");
  subcommand.add_flag("--ops", options->ops, "start and finish of each op");
  subcommand.add_flag(
      "--explain",
      options->explain,
      "why it takes so long: the critical path in words, idle time by reason, what fills "
      "the memory, what if, and the decisions that matter most (on all cores)");
  subcommand
      .add_option("--trace",
                  options->trace,
                  "write a timeline for ui.perfetto.dev and chrome://tracing (.json or .json.gz)")
      ->type_name("FILE");
  subcommand
      .add_option("--html",
                  options->html,
                  "write an interactive page: timeline, graph, machine, critical path, memory "
                  "(Python package with '.[report]')")
      ->type_name("FILE");
  CLI::Option& gantt =
      *subcommand.add_flag("--gantt", options->gantt, "print a timeline of characters");
  subcommand
      .add_option("--width", options->width, "columns of the timeline (default: the terminal's)")
      ->check(WholeNumber(20, 1000))
      ->needs(&gantt);
  AddJson(subcommand, options->json).excludes(&gantt);
  Choose(subcommand, command, options, &Simulate);
}

namespace {

// Writes the trace and prints the picture, as far as they are asked for.
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

int Simulate(const SimulateOptions& options, const Console& console) {
  if (options.html.has_value()) {
    throw InputError(
        "--html: the command of the Python package writes it: pip install '.[report]' "
        "in the folder of the sources; this program writes --trace");
  }
  const OutFile trace(options.trace.value_or(""), console);
  if (options.json) {
    trace.RefuseJson("--trace");
  }
  const NoticeListener notices = NoticesOn(console);
  const auto problem = LoadSimulatedProblem(options.problem, notices);
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
  const std::vector<MemoryNeed> needs =
      report.failure.has_value() ? NeedsBeyondCapacity(*problem, plan) : std::vector<MemoryNeed>();
  const OpDetail detail = options.ops ? OpDetail::kWithOps : OpDetail::kWithoutOps;
  if (options.json) {
    console.out << SimulateJson(step, explanation, detail, needs) << '\n';
  } else {
    trace.text() << ReportText(step, detail, needs);
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

std::string SimulateJson(const sim::SimulatedStep& step,
                         const std::optional<Explanation>& explanation,
                         OpDetail detail,
                         const std::vector<MemoryNeed>& needs) {
  nlohmann::ordered_json json =
      ReportObject(step.report, step.plan, step.graph, step.hardware, detail, needs);
  if (explanation.has_value()) {
    json["explanation"] = ExplanationJson(step, *explanation);
  }
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
