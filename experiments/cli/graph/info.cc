#include "experiments/cli/graph/info.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/graphs/graph_figures.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/measured_text.h"
#include "experiments/graphs/module_figures.h"
#include "experiments/graphs/peaks_text.h"
#include "experiments/machines/machine_loading.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"
#include "sim/graph/name_scopes.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {
namespace {

struct GraphInfoOptions {
  std::string graph;
  std::optional<std::string> hardware;  // adds what depends on a machine
  std::int64_t modules = 2;             // the depth of the tree of modules
  bool json = false;
};

// Prints the figures of a graph: counts by phase, by type and by module, work, bytes, how deep and
// wide it is, and the least memory it needs. With a machine: the critical path, the work of all
// ops, and bounds, and a warning where measured and modelled times meet in them. Throws InputError,
// too, if some op may run on no device of the machine.
[[nodiscard]] int PrintGraphInfo(const GraphInfoOptions& options, const Console& console);

// `figures` are those of `graph`, `machine` those of the machine that was asked for.
[[nodiscard]] std::string GraphInfoJson(const sim::OpGraph& graph,
                                        const GraphFigures& figures,
                                        const std::vector<ModuleFigures>& modules,
                                        const std::optional<MachineFigures>& machine);

}  // namespace

void AddGraphInfoArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "info",
                     .summary = "counts, FLOPs, bytes, depth, modules of a graph",
                     .examples = "  opyard graph info inception_v3 --hardware p100x2-pcie\n"
                                 "  opyard graph info resnet50 --hardware p100x2-pcie --modules 1\n"
                                 "  opyard graph info 'zoo:rnnlm?layers=2'"});
  const auto options = std::make_shared<GraphInfoOptions>();
  AddGraphArgument(subcommand, options->graph);
  subcommand
      .add_option("--hardware", options->hardware, "adds critical path and bounds on a machine")
      ->type_name("MACHINE");
  subcommand
      .add_option(
          "--modules", options->modules, "depth of the tree of modules, 0 for none (default: 2)")
      ->check(WholeNumber(0, std::int64_t{sim::kMostModuleDepth}));
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &PrintGraphInfo);
}

namespace {

void AddRow(const std::string& name, const OpTotals& totals, TextTable& table) {
  table.AddRow({OneLine(name),
                std::to_string(totals.ops),
                Fixed(totals.flops / 1e9, 3),
                BytesText(totals.bytes)});
}

TextTable TotalsTable(const std::string& title) {
  return TextTable({{.title = title},
                    {.title = "ops", .align = Align::kRight},
                    {.title = "GFLOP", .align = Align::kRight},
                    {.title = "outputs", .align = Align::kRight}});
}

// "  attention" for "encoder.attention".
std::string IndentedName(const ModuleFigures& module) {
  const std::string name =
      module.depth == 0 ? "(network)" : module.path.substr(module.path.rfind('.') + 1);
  return std::string(2 * static_cast<std::size_t>(module.depth), ' ') + OneLine(name);
}

// Nothing for a graph without modules.
void PrintModules(const std::vector<ModuleFigures>& modules, std::ostream& out) {
  if (modules.size() < 2) {
    return;
  }
  TextTable table({{.title = "module"},
                   {.title = "ops", .align = Align::kRight},
                   {.title = "GFLOP", .align = Align::kRight},
                   {.title = "outputs", .align = Align::kRight},
                   {.title = "parameters", .align = Align::kRight},
                   {.title = "time", .align = Align::kRight}});
  for (const ModuleFigures& module : modules) {
    table.AddRow({IndentedName(module),
                  std::to_string(module.totals.ops),
                  Fixed(module.totals.flops / 1e9, 3),
                  BytesText(module.totals.bytes),
                  BytesText(module.parameters),
                  module.time.has_value() ? TimeText(*module.time) : "-"});
  }
  out << '\n' << table.Text();
}

void PrintTables(const GraphFigures& figures, std::ostream& out) {
  TextTable phases = TotalsTable("phase");
  for (std::size_t phase = 0; phase < GraphFigures::kNumPhases; ++phase) {
    if (figures.phases[phase].ops > 0) {
      AddRow(PhaseName(phase), figures.phases[phase], phases);
    }
  }
  TextTable types = TotalsTable("type");
  for (const auto& [type, totals] : figures.types) {
    AddRow(type, totals, types);
  }
  out << '\n' << phases.Text() << '\n' << types.Text();
}

void PrintText(const sim::OpGraph& graph, const GraphFigures& figures, std::ostream& out) {
  out << OneLine(graph.name()) << ": " << graph.num_ops() << " ops, " << graph.num_tensors()
      << " tensors, " << graph.num_data_edges() + graph.num_control_edges() << " edges ("
      << graph.num_control_edges() << " control), depth " << figures.extent.depth << ", width "
      << figures.extent.width << '\n'
      << "FLOPs " << Fixed(figures.all.flops / 1e9, 3) << " G, outputs "
      << BytesText(figures.all.bytes) << " (" << BytesText(figures.activations)
      << " of their own storage), parameters " << BytesText(figures.parameters) << '\n'
      << "memory: all devices together hold at least " << BytesText(figures.memory_bound)
      << " at some time (without fusion); one device that runs all ops, in topological order, "
         "holds "
      << BytesText(figures.one_device_peak) << " at most: the parameters and "
      << BytesText(figures.one_device_peak - figures.parameters) << " of other tensors\n";
  if (!graph.origin().empty()) {
    out << "origin: " << OneLine(graph.origin()) << '\n';
  }
  if (figures.num_measured > 0) {
    out << "measured times: " << figures.num_measured << " ops, "
        << (graph.measured() == sim::Measured::kKernel ? "of kernels without their launch\n"
                                                       : "with the launch of their kernel\n");
  }
}

// "cpu0 has 256.00 GiB, gpu0 16.00 GiB (too little)".
std::string RoomsText(const MachineFigures& machine, Bytes need) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> rooms;
  for (const auto& [device, capacity] : machine.devices) {
    rooms.push_back(OneLine(device) + (rooms.empty() ? " has " : " ") + BytesText(capacity) +
                    (capacity < need ? " (too little)" : ""));
  }
  return JoinNames(rooms, kMost);
}

void PrintMachine(const MachineFigures& machine, const GraphFigures& figures, std::ostream& out) {
  const std::string mixed = MixedTimesText(machine.coverage);
  out << "on " << OneLine(machine.name) << " (" << BytesText(machine.capacity)
      << " in all), each op where it is fastest: critical path " << TimeText(machine.critical_path)
      << ", all ops one after another " << TimeText(machine.work)
      << "; no plan without fusion is faster than " << TimeText(machine.bound)
      << (mixed.empty() ? "" : ", a bound that " + mixed) << '\n'
      << "the whole graph needs " << BytesText(figures.one_device_peak)
      << " on one device: " << RoomsText(machine, figures.one_device_peak) << '\n';
}

// `problem` is that of the machine that was asked for, or null.
void PrintFigures(const GraphInfoOptions& options,
                  const sim::OpGraph& graph,
                  const env::Problem* problem,
                  std::ostream& out) {
  const GraphFigures figures = FiguresOf(graph);
  const std::optional<MachineFigures> machine =
      problem != nullptr ? std::optional(FiguresOn(*problem)) : std::nullopt;
  const std::vector<ModuleFigures> modules =
      ModuleFiguresOf(graph, problem, static_cast<std::int32_t>(options.modules));
  if (options.json) {
    out << GraphInfoJson(graph, figures, modules, machine) << '\n';
    return;
  }
  PrintText(graph, figures, out);
  if (machine.has_value()) {
    PrintMachine(*machine, figures, out);
  }
  PrintModules(modules, out);
  PrintTables(figures, out);
}

int PrintGraphInfo(const GraphInfoOptions& options, const Console& console) {
  const NoticeListener notices = NoticesOn(console);
  const auto graph = LoadGraph(options.graph, notices);
  if (!options.hardware.has_value()) {
    PrintFigures(options, *graph, nullptr, console.out);
    return kSuccess;
  }
  const env::Problem problem = ProblemOfSingleOps(graph, LoadMachine(*options.hardware, notices));
  WarnOfMeasured(options.graph, problem, notices);
  WarnOfPeaks(options.graph, problem, notices);
  PrintFigures(options, *graph, &problem, console.out);
  return kSuccess;
}

using Json = nlohmann::ordered_json;

// Whole numbers of FLOPs print as such.
Json Whole(double value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  return value <= kLargestExact && value == std::floor(value)
             ? Json(static_cast<std::int64_t>(value))
             : Json(value);
}

Json TotalsJson(const OpTotals& totals) {
  return {{"ops", totals.ops}, {"flops", Whole(totals.flops)}, {"bytes", totals.bytes.count}};
}

Json GraphJson(const sim::OpGraph& graph, const GraphFigures& figures) {
  Json json = {{"name", graph.name()},
               {"ops", graph.num_ops()},
               {"edges", graph.num_data_edges() + graph.num_control_edges()},
               {"control_edges", graph.num_control_edges()},
               {"tensors", graph.num_tensors()},
               {"flops", Whole(figures.all.flops)},
               {"bytes", figures.all.bytes.count},
               {"param_bytes", figures.parameters.count},
               {"depth", figures.extent.depth},
               {"acyclic", true},  // a graph with a cycle is refused by its reader
               {"width", figures.extent.width},
               {"activation_bytes", figures.activations.count},
               {"memory_bound_bytes", figures.memory_bound.count},
               {"one_device_peak_bytes", figures.one_device_peak.count},
               {"measured", sim::NameOf(graph.measured())},
               {"measured_ops", figures.num_measured},
               {"phases", Json::object()},
               {"types", Json::array()}};
  for (std::size_t phase = 0; phase < GraphFigures::kNumPhases; ++phase) {
    if (figures.phases[phase].ops > 0) {
      json["phases"][PhaseName(phase)] = TotalsJson(figures.phases[phase]);
    }
  }
  for (const auto& [type, totals] : figures.types) {
    Json entry = {{"type", type}};
    entry.update(TotalsJson(totals));
    json["types"].push_back(std::move(entry));
  }
  return json;
}

Json ModulesJson(const std::vector<ModuleFigures>& modules) {
  Json json = Json::array();
  for (const ModuleFigures& module : modules) {
    Json entry = {{"path", module.path}, {"depth", module.depth}};
    entry.update(TotalsJson(module.totals));
    entry["param_bytes"] = module.parameters.count;
    entry["time_s"] = module.time.has_value() ? Json(module.time->seconds()) : Json(nullptr);
    json.push_back(std::move(entry));
  }
  return json;
}

Json MachineJson(const MachineFigures& machine) {
  Json devices = Json::array();
  for (const auto& [device, capacity] : machine.devices) {
    devices.push_back({{"name", device}, {"memory_bytes", capacity.count}});
  }
  return {{"name", machine.name},
          {"critical_path_s", machine.critical_path.seconds()},
          {"work_s", machine.work.seconds()},
          {"problem_bound_s", machine.bound.seconds()},
          {"timed_ops", machine.coverage.num_ops},
          {"measured_ops", machine.coverage.num_measured},
          {"memory_bytes", machine.capacity.count},
          {"devices", std::move(devices)}};
}

std::string GraphInfoJson(const sim::OpGraph& graph,
                          const GraphFigures& figures,
                          const std::vector<ModuleFigures>& modules,
                          const std::optional<MachineFigures>& machine) {
  Json json = GraphJson(graph, figures);
  json["modules"] = ModulesJson(modules);
  if (machine.has_value()) {
    json["machine"] = MachineJson(*machine);
  }
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
