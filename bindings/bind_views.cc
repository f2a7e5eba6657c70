// Views of a plan in Python: a timeline of characters, an explanation, a trace, and the arrays that
// pictures show.
#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "bindings/python_values.h"
#include "experiments/explain/explanation.h"
#include "experiments/explain/explanation_json.h"
#include "experiments/explain/explanation_text.h"
#include "experiments/explain/gantt.h"
#include "sim/analysis/perfetto.h"
#include "sim/analysis/timeline.h"
#include "sim/analysis/transfer_tracks.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/text/text_file.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

using ProblemPointer = std::shared_ptr<env::Problem>;

// A plan that was simulated. Refers to the problem and the plan.
class Simulated {
 public:
  // Throws PlanError if the plan does not fit the problem.
  Simulated(const env::Problem& problem, const sim::Plan& plan)
      : problem_(problem), plan_(plan), report_(Run(problem, plan)) {}

  [[nodiscard]] sim::SimulatedStep step() const {
    return {.graph = problem_.graph(),
            .hardware = problem_.hardware(),
            .routes = problem_.routes(),
            .plan = plan_,
            .report = report_};
  }
  [[nodiscard]] const sim::SimReport& report() const { return report_; }

 private:
  static sim::SimReport Run(const env::Problem& problem, const sim::Plan& plan) {
    sim::Workspace workspace;
    return problem.simulator().RunReport(plan, workspace);
  }

  const env::Problem& problem_;
  const sim::Plan& plan_;
  sim::SimReport report_;
};

// The classes in which views come to Python.
py::object ViewClass(const char* name) {
  return py::module_::import("opyard.views").attr(name);
}

py::object Gantt(const std::shared_ptr<sim::Plan>& plan,
                 const ProblemPointer& problem,
                 std::int64_t width) {
  InRange("width", width, 20, 1000);
  std::string text;
  {
    const py::gil_scoped_release released;
    const Simulated simulated(*problem, *plan);
    const sim::SimulatedStep step = simulated.step();
    const sim::Timeline timeline = sim::BuildTimeline(step);
    text = experiments::GanttText(
        step,
        timeline,
        experiments::PathOf(step, timeline),
        {.columns = static_cast<std::size_t>(width), .has_color = false, .has_unicode = true});
  }
  return ViewClass("Gantt")("text"_a = text, "plan"_a = plan, "problem"_a = problem);
}

// `problem` with single ops as the units of decision, as explanations need it.
std::shared_ptr<const env::Problem> PerOp(const ProblemPointer& problem) {
  if (problem->settings().decide_per == env::DecidePer::kOp && !problem->settings().contiguous) {
    return problem;
  }
  env::ProblemSpec spec = problem->spec();
  spec.settings.decide_per = env::DecidePer::kOp;
  spec.settings.contiguous = false;  // one op may change alone
  return std::make_shared<const env::Problem>(std::move(spec));
}

py::object Explain(const sim::Plan& plan,
                   const ProblemPointer& problem,
                   std::int64_t threads,
                   bool changes) {
  using experiments::ExplainDepth;
  const std::size_t num_threads = ToNumThreads(threads);
  std::string text;
  nlohmann::ordered_json json;
  InterruptFlag interrupt;
  RunInterruptibly(interrupt, [&] {
    const std::shared_ptr<const env::Problem> per_op = changes ? PerOp(problem) : problem;
    const Simulated simulated(*per_op, plan);
    const experiments::Explanation explanation =
        experiments::Explain(per_op,
                             simulated.step(),
                             {.depth = changes ? ExplainDepth::kWithChanges : ExplainDepth::kOneRun,
                              .num_threads = num_threads,
                              .interrupt = &interrupt});
    text = experiments::ExplanationText(simulated.step(), explanation);
    json = experiments::ExplanationJson(simulated.step(), explanation);
  });
  return ViewClass("Explanation")("text"_a = text, "data"_a = PythonOf(json));
}

py::object Trace(const sim::Plan& plan,
                 const ProblemPointer& problem,
                 const std::optional<std::filesystem::path>& path) {
  std::string text;
  {
    const py::gil_scoped_release released;
    const Simulated simulated(*problem, plan);
    const sim::SimulatedStep step = simulated.step();
    const sim::Timeline timeline = sim::BuildTimeline(step);
    std::ostringstream out;
    sim::WriteTraceEvents(step, timeline, experiments::PathOf(step, timeline), out);
    text = std::move(out).str();
    if (path.has_value()) {
      sim::WriteTextFile(*path, text);
    }
  }
  return py::module_::import("json").attr("loads")(text);
}

void AddKernels(const sim::SimulatedStep& step, const sim::Timeline& timeline, py::dict& arrays) {
  std::vector<std::size_t> ran;
  for (std::size_t k = 0; k < timeline.num_kernels(); ++k) {
    if (timeline.kernels[k].run.has_value()) {
      ran.push_back(k);
    }
  }
  const auto first_op = [&](std::size_t k) { return timeline.ops(k).front(); };
  arrays["kernel_op"] =
      ArrayOf<std::int64_t>(ran, [&](std::size_t k) { return first_op(k).value; });
  arrays["kernel_device"] =
      ArrayOf<std::int64_t>(ran, [&](std::size_t k) { return timeline.kernels[k].device.value; });
  arrays["kernel_phase"] = ArrayOf<std::int64_t>(ran, [&](std::size_t k) {
    return static_cast<std::int64_t>(step.graph.op(first_op(k)).phase);
  });
  arrays["kernel_start_s"] =
      ArrayOf<double>(ran, [&](std::size_t k) { return timeline.kernels[k].run->start.seconds(); });
  arrays["kernel_finish_s"] = ArrayOf<double>(ran, [&](std::size_t k) {
    return std::min(timeline.kernels[k].run->finish, timeline.end).seconds();
  });
}

// The names of the rows of transfers, sorted, each once.
std::vector<std::string> RowsOf(const sim::TransferTracks& tracks) {
  std::vector<std::string> rows;
  for (const sim::TransferTracks::Track& track : tracks.tracks) {
    rows.push_back(track.row);
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

// One entry per channel that a transfer takes.
void AddTransfers(const sim::SimulatedStep& step, const sim::Timeline& timeline, py::dict& arrays) {
  const sim::TransferTracks tracks = sim::LayOutTransfers(step, timeline);
  const std::vector<std::string> rows = RowsOf(tracks);
  std::vector<std::int64_t> row_of;
  std::vector<const sim::Run*> runs;
  for (std::size_t i = 0; i < timeline.num_transfers(); ++i) {
    for (const std::int32_t track : tracks.of(i)) {
      const std::string& row = tracks.tracks[static_cast<std::size_t>(track)].row;
      row_of.push_back(std::ranges::lower_bound(rows, row) - rows.begin());
      runs.push_back(&timeline.transfers[i].run);
    }
  }
  arrays["row_names"] = rows;
  arrays["transfer_row"] = ToArray(row_of, {static_cast<py::ssize_t>(row_of.size())});
  arrays["transfer_start_s"] =
      ArrayOf<double>(runs, [](const sim::Run* run) { return run->start.seconds(); });
  arrays["transfer_finish_s"] = ArrayOf<double>(
      runs, [&](const sim::Run* run) { return std::min(run->finish, timeline.end).seconds(); });
}

void AddMemory(const sim::SimReport& report, py::dict& arrays) {
  arrays["capacity_bytes"] = ArrayOf<std::int64_t>(
      report.devices, [](const sim::DeviceReport& device) { return device.capacity.count; });
  arrays["memory_device"] = ArrayOf<std::int64_t>(
      report.memory, [](const sim::MemorySample& sample) { return sample.device.value; });
  arrays["memory_time_s"] = ArrayOf<double>(
      report.memory, [](const sim::MemorySample& sample) { return sample.time.seconds(); });
  arrays["memory_bytes"] = ArrayOf<std::int64_t>(
      report.memory, [](const sim::MemorySample& sample) { return sample.in_use.count; });
}

py::dict TimelineArrays(const env::Problem& problem, const sim::Plan& plan) {
  const Simulated simulated(problem, plan);
  const sim::SimulatedStep step = simulated.step();
  const sim::Timeline timeline = sim::BuildTimeline(step);
  py::dict arrays("outcome"_a = sim::NameOf(timeline.outcome),
                  "end_s"_a = timeline.end.seconds(),
                  "device_names"_a = problem.hardware().DeviceNames());
  AddKernels(step, timeline, arrays);
  AddTransfers(step, timeline, arrays);
  AddMemory(simulated.report(), arrays);
  return arrays;
}

void BindTexts(PlanClass& plan) {
  plan.def("gantt",
           &Gantt,
           py::arg("problem").none(false),
           py::kw_only(),
           py::arg("width") = 100,
           R"(The simulated plan as a timeline, as ``opyard simulate --gantt`` prints it.

In a notebook it shows as a picture.

Args:
    problem: The problem that the plan is for.
    width: Columns of the text, 20 to 1000.

Returns:
    A `Gantt`; ``print`` writes it.

Raises:
    PlanError: The plan does not fit the problem.
    InputError: The width is out of range.
)");
  plan.def("explain",
           &Explain,
           py::arg("problem").none(false),
           py::kw_only(),
           py::arg("threads") = 0,
           py::arg("changes").noconvert() = true,
           R"(Why the plan takes as long as it does, as ``opyard simulate --explain`` says it.

With `changes`, simulates the plan again and again with one thing changed: seconds for large graphs.
Other Python threads run meanwhile; Ctrl-C raises KeyboardInterrupt soon.

Args:
    problem: The problem that the plan is for.
    threads: From 1 to 1024, or 0 for one per core; changes nothing in the answer.
    changes: False leaves out the answers to what if and the decisions that matter most, which take
        the time.

Returns:
    An `Explanation`: the critical path, idle time, the peak of memory, answers to what if, and the
    decisions that matter most, as text and as data.

Raises:
    PlanError: The plan does not fit the problem.
    InputError: `threads` is out of range.
)");
}

}  // namespace

void BindViews(py::module_& module, PlanClass& plan) {
  BindTexts(plan);
  plan.def(
      "trace",
      &Trace,
      py::arg("problem").none(false),
      py::arg("path") = py::none(),
      R"(The simulated plan in the Trace Event Format, as ``opyard simulate --trace`` writes it.

Args:
    problem: The problem that the plan is for.
    path: The file to write for ui.perfetto.dev and chrome://tracing, packed if it ends in ``.gz``;
        None writes none.

Returns:
    The trace, whose ``"traceEvents"`` are described in docs/explain.md.

Raises:
    PlanError: The plan does not fit the problem.
    InputError: The file cannot be written.
)");
  module.def("timeline",
             &TimelineArrays,
             py::arg("problem"),
             py::arg("plan"),
             R"(Simulates a plan for a picture of it.

Returns:
    ``outcome``; ``end_s``; ``device_names``; ``capacity_bytes``: [devices]. Of each kernel that
    ran: ``kernel_op`` (its first op), ``kernel_device``, ``kernel_phase`` (0 unknown, 1 forward,
    2 backward, 3 update), ``kernel_start_s``, ``kernel_finish_s``. Of each channel that a transfer
    takes: ``transfer_row`` (of ``row_names``), ``transfer_start_s``, ``transfer_finish_s``. In
    order of time: ``memory_device``, ``memory_time_s``, ``memory_bytes``, held from then on.

Raises:
    PlanError: The plan does not fit the problem.
)");
}

}  // namespace opyard::bindings
