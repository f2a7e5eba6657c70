// opyard._core.microbatch and pipeline_units: steps over micro-batches, and their pipelines.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "graphs/microbatches/divide_batch.h"
#include "graphs/microbatches/pipeline_units.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/error.h"
#include "sim/cost/cost_models.h"
#include "sim/cost/cost_table.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

constexpr std::int64_t kMostBatch = std::int64_t{1} << 40;

std::shared_ptr<sim::OpGraph> Microbatch(const GraphOrReference& graph,
                                         std::int64_t microbatches,
                                         std::optional<std::int64_t> batch) {
  InRange("microbatches", microbatches, 1, graphs::kMostMicrobatches);
  if (batch.has_value()) {
    InRange("batch", *batch, 1, kMostBatch);
  }
  const py::gil_scoped_release released;
  const auto whole = ToGraph(graph);
  return std::const_pointer_cast<sim::OpGraph>(graphs::RepeatMicrobatches(
      graphs::DivideBatch(whole, microbatches, batch), microbatches, whole->name()));
}

// The number of stages, or the first layer of each.
using Stages = std::variant<std::int64_t, std::vector<std::int64_t>>;

std::vector<SimTime> TimesOnFirstAccelerator(const sim::OpGraph& graph,
                                             const sim::HardwareProfile& machine) {
  const sim::CostTable costs(graph, machine, *sim::MakeCostModel(sim::kDefaultCostModel));
  const auto found = std::ranges::find_if(
      machine.devices, [](const auto& device) { return device.kind != sim::DeviceKind::kCpu; });
  const auto index = static_cast<std::size_t>(found - machine.devices.begin());
  const DeviceId device(found == machine.devices.end() ? std::size_t{0} : index);
  std::vector<SimTime> times;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    times.push_back(costs.time(OpId(i), device));
  }
  return times;
}

std::vector<std::int32_t> FirstLayers(const sim::OpGraph& graph,
                                      const Stages& stages,
                                      const std::optional<MachineOrReference>& hardware) {
  constexpr std::int64_t kMost = 1'000'000;
  if (const auto* given = std::get_if<std::vector<std::int64_t>>(&stages)) {
    if (hardware.has_value()) {
      throw InputError(
          "hardware: found a machine beside the first layers of stages, expected None; a number "
          "of stages is cut by the times on a machine");
    }
    std::vector<std::int32_t> layers;
    for (const std::int64_t layer : *given) {
      layers.push_back(static_cast<std::int32_t>(InRange("stages", layer, -kMost, kMost)));
    }
    return layers;
  }
  const std::int64_t count = InRange("stages", std::get<std::int64_t>(stages), 1, kMost);
  if (!hardware.has_value()) {
    throw InputError(
        "hardware: found None, expected the machine on which stages take about equal times; "
        "without one, stages are the list of their first layers");
  }
  const py::gil_scoped_release released;
  return graphs::BalancedStages(graph,
                                TimesOnFirstAccelerator(graph, *ToMachine(*hardware)),
                                static_cast<std::int32_t>(count));
}

py::dict PipelineUnits(const GraphOrReference& graph,
                       const Stages& stages,
                       const std::optional<MachineOrReference>& hardware) {
  const auto step = ToGraph(graph);
  const std::vector<std::int32_t> first_layers = FirstLayers(*step, stages, hardware);
  const graphs::PipelineUnits units = graphs::FindPipelineUnits(*step, first_layers);
  std::vector<std::string> passes;
  for (const graphs::Pass pass : units.pass) {
    passes.emplace_back(NameOf(pass));
  }
  const auto same = [](std::int32_t number) { return number; };
  return py::dict(py::arg("stage") = ArrayOf<std::int64_t>(units.stage, same),
                  py::arg("microbatch") = ArrayOf<std::int64_t>(units.microbatch, same),
                  py::arg("passes") = passes,
                  py::arg("first_layers") = first_layers,
                  py::arg("num_microbatches") = units.num_microbatches);
}

}  // namespace

void BindMicrobatches(py::module_& module) {
  module.def(
      "microbatch",
      &Microbatch,
      py::arg("graph"),
      py::arg("microbatches"),
      py::kw_only(),
      py::arg("batch") = py::none(),
      R"(The step of a graph over several micro-batches, as `opyard graph microbatch` makes it.

Forward and backward ops stand there once per micro-batch, named ``"NAME@mb0"`` and so on, with their
share of the work; weights and updates stand there once, and the update reads the sum of the gradients.
Of one micro-batch the graph itself. Models of the zoo are built exactly instead:
``"zoo:gpt?microbatches=4"``.

Args:
    graph: A step, a `Graph` or its reference, whose ops say their phase.
    microbatches: How many, from 1 to 65536; they divide the batch, where that is known.
    batch: The batch of the graph. Default: the leading extent that most inputs have.

Raises:
    InputError: The graph says no phases, has no inputs or has micro-batches already, or its batch
        cannot be divided so.
)");
  module.def("pipeline_units",
             &PipelineUnits,
             py::arg("graph"),
             py::arg("stages"),
             py::arg("hardware") = py::none(),
             R"(The stage, micro-batch and pass of each op: the units that pipeline schedules order.

Stages are runs of whole layers. Ops of one co-location label are of one stage. A graph whose ops say
no layers is cut along its forward pass instead.

Args:
    graph: A step, a `Graph` or its reference, with micro-batches or without.
    stages: How many: the longest then takes as little time as possible on the first accelerator of
        `hardware`. Or the first layer of each stage, ascending; layers below the first are of stage 0.
    hardware: A `Machine` or its reference, where `stages` is a number; else None.

Returns:
    ``stage``: int64 [num_ops]. ``microbatch``: int64 [num_ops], −1 for ops that run once a step.
    ``passes``: list of texts, ``"F"`` (forward), ``"I"`` (the backward pass as far as another layer
    waits for it), ``"W"`` (the rest of it: gradients of weights), ``"parameters"``, ``"update"``.
    ``first_layers``: the first layer of each stage. ``num_microbatches``.

Raises:
    InputError: There are fewer layers than stages, a stage has no layer, first layers do not ascend,
        or the graph says no phases.
)");
}

}  // namespace opyard::bindings
