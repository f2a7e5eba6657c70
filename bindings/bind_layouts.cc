// opyard._core.export_plan: plans in the forms of frameworks.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "env/problem.h"
#include "experiments/plans/layouts/export_layout.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

using Texts = std::map<std::string, std::string>;

const experiments::LayoutTarget& TargetOf(const std::string& name) {
  std::vector<std::string> names;
  for (const experiments::LayoutTarget& target : experiments::LayoutTargets()) {
    if (target.name == name) {
      return target;
    }
    names.emplace_back(target.name);
  }
  throw InputError("to: found " + Quoted(name) + ", expected one of " + JoinNames(names) +
                   DidYouMean(name, names));
}

experiments::StageSchedule ScheduleOf(const std::optional<std::string>& name) {
  if (!name.has_value()) {
    return experiments::StageSchedule::kOfPlan;
  }
  if (*name == "1f1b") {
    return experiments::StageSchedule::kOneForwardOneBackward;
  }
  if (*name == "gpipe") {
    return experiments::StageSchedule::kGPipe;
  }
  throw InputError("schedule: found " + Quoted(*name) + ", expected 1f1b, gpipe or None");
}

Texts ExportPlan(const sim::Plan& plan,
                 const GraphOrReference& graph,
                 const MachineOrReference& hardware,
                 const std::string& to,
                 bool nearest,
                 const std::optional<std::string>& schedule,
                 std::int64_t microbatches,
                 const Texts& names) {
  const experiments::LayoutTarget& target = TargetOf(to);
  const experiments::LayoutOptions options{
      .nearest = nearest,
      .schedule = ScheduleOf(schedule),
      .microbatches = InRange("microbatches", microbatches, 1, graphs::kMostMicrobatches),
      .names = names};
  const py::gil_scoped_release released;
  const env::Problem problem(env::ProblemSpec{.graph = ToGraph(graph),
                                              .hardware = ToMachine(hardware),
                                              .settings = {.decide_per = env::DecidePer::kOp}});
  const experiments::LayoutExport result =
      experiments::ExportLayout(problem, plan, target, options);
  if (!result.is_written()) {
    throw UnsupportedError(to + " cannot express:\n" +
                           ReasonsText(nearest ? result.left : result.inexpressible));
  }
  Texts texts;
  for (const experiments::LayoutFile& file : result.layout.files) {
    texts[file.name] = file.text;
  }
  return texts;
}

}  // namespace

void BindLayouts(py::module_& module) {
  module.def("export_plan",
             &ExportPlan,
             py::arg("plan"),
             py::arg("graph"),
             py::arg("hardware"),
             py::arg("to"),
             py::kw_only(),
             py::arg("nearest").noconvert() = false,
             py::arg("schedule") = py::none(),
             py::arg("microbatches") = 1,
             py::arg("names") = Texts(),
             R"(A plan in the form of a framework, as `opyard plan export` makes it.

Args:
    plan: What the framework is to run.
    graph: The graph that it is for, or its reference.
    hardware: The machine that it is for, or its reference.
    to: ``"accelerate"``, ``"llama.cpp"``, ``"megatron"``, ``"onnxruntime"``, ``"python"``,
        ``"torch-pipelining"``, ``"torchtitan"`` or ``"vllm"``.
    nearest: Where it cannot express the plan, the nearest plan that it can.
    schedule: ``"1f1b"`` or ``"gpipe"`` for micro-batches. Default: the order of the plan's run.
    microbatches: How many to repeat the step in for the schedule, where the graph has none.
    names: Names of devices in the framework, by those of the machine: ``{"gpu0": "cuda:1"}``.

Returns:
    The texts of the files, by their names.

Raises:
    UnsupportedError: All that the framework cannot express, a line each.
    InputError: An argument is not legal.
    PlanError: The plan does not fit the graph and the machine.
)");
}

}  // namespace opyard::bindings
