// The replay of stored results: texts as the result store keeps them, and plans on a perturbed
// machine.
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "experiments/explain/perturbation.h"
#include "experiments/store/former_rows.h"
#include "experiments/store/schema.h"
#include "sim/cost/cost_models.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

void BindReading(py::module_& module) {
  module.def(
      "read_graph",
      [](const py::bytes& text, const std::string& place) {
        const std::string_view view = text;
        const py::gil_scoped_release released;
        return std::const_pointer_cast<sim::OpGraph>(sim::ReadGraphText(view, place));
      },
      py::arg("text"),
      py::arg("place"),
      "Reads an opyard-graph/1 text. `place` stands for the file's name in messages. Raises\n"
      "InputError.");
  module.def(
      "read_machine",
      [](const py::bytes& text, const std::string& place) {
        return std::const_pointer_cast<sim::HardwareProfile>(
            sim::ReadMachineText(std::string_view(text), place));
      },
      py::arg("text"),
      py::arg("place"),
      "Reads a machine as result stores keep it, whose devices are whole. Raises InputError.");
  module.def(
      "read_plan",
      [](const py::bytes& text,
         const std::string& place,
         const GraphOrReference& graph,
         const MachineOrReference& hardware) {
        return sim::ReadPlanText(
            std::string_view(text), place, *ToGraph(graph), *ToMachine(hardware));
      },
      py::arg("text"),
      py::arg("place"),
      py::arg("graph"),
      py::arg("hardware"),
      "Reads an opyard-plan/1 text for this graph and machine. Raises InputError.");
}

// The types of a graph's ops, each once, in the order in which they come first.
std::vector<std::string> OpTypes(const sim::OpGraph& graph) {
  std::vector<std::string> types;
  std::map<std::string_view, bool> seen;
  for (const sim::Op& op : graph.ops()) {
    if (seen.emplace(op.type, true).second) {
      types.push_back(op.type);
    }
  }
  return types;
}

py::list Links(const sim::HardwareProfile& hardware) {
  py::list links;
  for (const sim::Link& link : hardware.links) {
    links.append(py::make_tuple(link.name, link.bandwidth_bytes_per_s));
  }
  return links;
}

py::dict DeviceFigures(const sim::Device& device, const sim::DeviceReport& report) {
  return py::dict(py::arg("name") = report.name,
                  py::arg("kind") = std::string(sim::NameOf(device.kind)),
                  py::arg("busy_s") = report.busy.seconds(),
                  py::arg("peak_memory_bytes") = report.peak_memory.count,
                  py::arg("capacity_bytes") = report.capacity.count);
}

py::list DeviceUse(const env::Problem& problem, const sim::Plan& plan) {
  sim::SimReport report;
  {
    const py::gil_scoped_release released;
    sim::Workspace workspace;
    report = problem.simulator().RunReport(plan, workspace);
  }
  py::list devices;
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    devices.append(DeviceFigures(problem.hardware().devices[i], report.devices[i]));
  }
  return devices;
}

using Factors = std::map<std::string, double, std::less<>>;

py::list Perturbed(const GraphOrReference& graph,
                   const MachineOrReference& hardware,
                   const std::vector<sim::Plan>& plans,
                   const Factors& op_factors,
                   const Factors& link_factors,
                   bool swap_sharing,
                   double fusion_saving,
                   const std::string& cost_model) {
  std::vector<sim::SimResult> results;
  {
    const py::gil_scoped_release released;
    results = experiments::SimulatePerturbed(ToGraph(graph),
                                             *ToMachine(hardware),
                                             plans,
                                             {.cost_model = cost_model,
                                              .op_factors = op_factors,
                                              .link_factors = link_factors,
                                              .swaps_sharing = swap_sharing,
                                              .fusion_saving = fusion_saving});
  }
  py::list answers;
  for (const sim::SimResult& result : results) {
    answers.append(py::dict(py::arg("outcome") = std::string(sim::NameOf(result.outcome)),
                            py::arg("makespan_s") = result.makespan.seconds(),
                            py::arg("peak_memory_bytes") = result.peak_memory.count));
  }
  return answers;
}

void BindPerturbation(py::module_& module) {
  module.def("op_types", &OpTypes, py::arg("graph"), "The types of a graph's ops, each once.");
  module.def("links",
             &Links,
             py::arg("hardware"),
             "The links of a machine: pairs of a name and a bandwidth in bytes per second.");
  module.def("device_use",
             &DeviceUse,
             py::arg("problem"),
             py::arg("plan"),
             "Simulates a plan; a dict per device: name, kind, busy_s, peak_memory_bytes,\n"
             "capacity_bytes. Raises PlanError.");
  module.def("simulate_perturbed",
             &Perturbed,
             py::arg("graph"),
             py::arg("hardware"),
             py::arg("plans"),
             py::kw_only(),
             py::arg("op_factors") = Factors(),
             py::arg("link_factors") = Factors(),
             py::arg("swap_sharing").noconvert() = false,
             py::arg("fusion_saving") = 1.0,
             py::arg("cost_model") = sim::kDefaultCostModel,
             R"(Simulates plans where costs and links are other than was thought.

Args:
    graph: The graph.
    hardware: The machine.
    plans: What is executed, one run each.
    op_factors: Of the time of ops, by their types; 1 for those that are not named.
    link_factors: Of the bandwidth, by the names of links.
    swap_sharing: Links that serve one transfer at a time share their bandwidth among all, and the
        other way round; they stay as they are where that is not simulated.
    fusion_saving: The share of what fusing saves that is left, 0 to 1.
    cost_model: Whose costs of ops these are the factors of.

Returns:
    A dict for each plan, in order: outcome, makespan_s, peak_memory_bytes.

Raises:
    InputError: A factor that is not above 0, a share outside of 0 to 1, an unknown link or cost
        model.
    PlanError: A plan does not fit the graph and the machine.
)");
}

// Names of agents and options in stores of before schema version 7.
void BindFormerNames(py::module_& module) {
  module.attr("first_schema_with_new_names") = experiments::kFirstWithNewNames;
  module.def(
      "with_new_names",
      [](const std::string& label, const std::string& agent, const std::string& params) {
        const experiments::AgentWords now = experiments::WithNewNames(experiments::AgentWords{
            .label = label, .name = agent, .params = params, .reproduce = ""});
        return std::tuple(now.label, now.name, now.params);
      },
      py::arg("label"),
      py::arg("agent"),
      py::arg("params"),
      "The label, the name and the parameters (JSON) of a stored agent by the names of today.\n"
      "Raises InputError.");
  module.def(
      "experiment_with_new_names",
      [](const std::string& resolved, const std::string& matrix) {
        const experiments::ExperimentWords now = experiments::WithNewNames(
            experiments::ExperimentWords{.resolved = resolved, .matrix = matrix});
        return std::tuple(now.resolved, now.matrix);
      },
      py::arg("resolved"),
      py::arg("matrix"),
      "A stored experiment and its matrix (JSON) by the names of today.");
}

}  // namespace

void BindReplay(py::module_& module) {
  BindFormerNames(module);
  module.attr("results_schema_version") = experiments::kSchemaVersion;  // the latest that is read
  BindReading(module);
  BindPerturbation(module);
}

}  // namespace opyard::bindings
