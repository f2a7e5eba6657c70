// opyard._core.plan_from_schedule and plan_from_pipeline: schedules of other programs as plans.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "env/problem.h"
#include "experiments/plans/pipeline_reading.h"
#include "experiments/plans/schedule_plan.h"
#include "sim/base/input_file.h"
#include "sim/io/text/text_file.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

sim::Plan PlanFromSchedule(const std::filesystem::path& path,
                           const GraphOrReference& graph,
                           const MachineOrReference& hardware) {
  const py::gil_scoped_release released;
  return experiments::PlanOfSchedule(
      sim::ReadTextFile(path), InputName(path), *ToGraph(graph), *ToMachine(hardware));
}

sim::Plan PlanFromPipeline(const std::filesystem::path& path,
                           const GraphOrReference& graph,
                           const MachineOrReference& hardware,
                           const std::optional<std::vector<std::int64_t>>& stage_layers,
                           const std::optional<std::vector<std::string>>& devices) {
  constexpr std::int64_t kMostLayer = 1'000'000;
  experiments::PipelineChoices choices{.stage_layers = {},
                                       .devices = devices.value_or(std::vector<std::string>{}),
                                       .stage_layers_name = "stage_layers",
                                       .devices_name = "devices"};
  for (const std::int64_t layer : stage_layers.value_or(std::vector<std::int64_t>{})) {
    choices.stage_layers.push_back(
        static_cast<std::int32_t>(InRange("stage_layers", layer, -kMostLayer, kMostLayer)));
  }
  const py::gil_scoped_release released;
  const env::Problem problem(env::ProblemSpec{.graph = ToGraph(graph),
                                              .hardware = ToMachine(hardware),
                                              .settings = {.decide_per = env::DecidePer::kOp}});
  const std::string text = sim::ReadTextFile(path);
  return experiments::ReadPipeline(
             text, problem, choices, {.schedule = InputName(path), .graph = problem.graph().name()})
      .plan;
}

}  // namespace

void BindSchedules(py::module_& module) {
  module.def("plan_from_schedule",
             &PlanFromSchedule,
             py::arg("path"),
             py::arg("graph"),
             py::arg("hardware"),
             R"(The plan of a solver's schedule, as `opyard plan from-schedule` makes it.

Args:
    path: A CSV file with the columns ``op`` (a name), ``device`` and ``start_s`` (seconds); each op
        once.
    graph: The graph that it is for, or its reference.
    hardware: The machine that it is for, or its reference.

Returns:
    A plan of queue ``"order"`` with one stream per device: its ops by start, and of equal starts by
    topological index.

Raises:
    InputError: All problems of the file with their lines; an order that can never go on.
)");
  module.def("plan_from_pipeline",
             &PlanFromPipeline,
             py::arg("path"),
             py::arg("graph"),
             py::arg("hardware"),
             py::kw_only(),
             py::arg("stage_layers") = py::none(),
             py::arg("devices") = py::none(),
             R"(The plan of a pipeline schedule, as `opyard plan from-pipeline` makes it.

Args:
    path: A CSV file with a line for each rank, its actions in order (``0F0,0F1,0B0,…``), as PyTorch
        writes them.
    graph: A step with the micro-batches of the schedule, or its reference (`opyard.microbatch`).
    hardware: The machine that it is for, or its reference.
    stage_layers: The first layer of each stage, ascending. Default: stages of whole layers, the
        longest of which takes as little time as possible on the first accelerator.
    devices: The name of the device of each rank, in the order of the lines. Default: the
        accelerators of the machine.

Returns:
    A plan of queue ``"order"`` with one stream per rank.

Raises:
    InputError: All problems of the file with their lines and cells; stages and micro-batches that
        the graph lacks or the file leaves out; a schedule that can never go on, with its cycle.
)");
}

}  // namespace opyard::bindings
