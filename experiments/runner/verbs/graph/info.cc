#include "experiments/runner/verbs/graph/info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "env/problem.h"
#include "experiments/runner/console/notice_printing.h"
#include "experiments/runner/graphs/import_text.h"
#include "experiments/runner/graphs/measured_text.h"
#include "experiments/text/figures.h"
#include "experiments/text/table.h"
#include "sim/graph/algorithms.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/trace/bounds.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNumPhases = 4;

// The ops of one phase or type together.
struct Share {
  std::int64_t ops = 0;
  double flops = 0.0;
  Bytes bytes;  // of outputs
};

struct GraphFigures {
  Share all;
  Bytes activations;  // outputs with a storage of their own
  Bytes parameters;
  Bytes memory_bound;
  sim::GraphExtent extent;
  std::int64_t num_measured = 0;  // ops
  std::array<Share, kNumPhases> phases;
  std::vector<std::pair<std::string, Share>> types;  // most ops first, then by name
};

void Add(const sim::Op& op, Bytes outputs, Share& share) {
  ++share.ops;
  share.flops += op.flops.count;
  share.bytes += outputs;
}

GraphFigures FiguresOf(const sim::OpGraph& graph) {
  GraphFigures figures{.memory_bound = sim::MemoryBound(graph), .extent = sim::ExtentOf(graph)};
  std::map<std::string, Share> types;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const sim::Op& op = graph.op(OpId(i));
    Bytes outputs;
    for (std::size_t k = 0; k < graph.num_outputs(OpId(i)); ++k) {
      const sim::Tensor& tensor = graph.tensor(graph.output(OpId(i), k));
      outputs += tensor.bytes;
      figures.activations += tensor.alias == sim::Alias::kNone ? tensor.bytes : Bytes{0};
    }
    figures.parameters += op.param_bytes;
    figures.num_measured += graph.measured_times(OpId(i)).empty() ? 0 : 1;
    Add(op, outputs, figures.all);
    Add(op, outputs, figures.phases[static_cast<std::size_t>(op.phase)]);
    Add(op, outputs, types[op.type]);
  }
  figures.types.assign(types.begin(), types.end());
  std::ranges::stable_sort(
      figures.types, std::greater<>(), [](const auto& type) { return type.second.ops; });
  return figures;
}

// What a machine adds; none of it counts transfers or fusion.
struct MachineFigures {
  std::string name;
  SimTime critical_path;  // each op where it is fastest
  SimTime work;           // the same, one op after another
  SimTime bound;          // no plan without fusion is faster
  Bytes capacity;         // of all devices
};

// Warns where the machine leaves ops of a measured graph to the cost model. REQUIRES: a machine is
// given.
MachineFigures FiguresOn(const std::shared_ptr<const sim::OpGraph>& graph,
                         const GraphInfoOptions& options,
                         const Console& console) {
  const env::Problem problem({.graph = graph,
                              .hardware = sim::LoadMachine(*options.hardware),
                              .default_fusion = env::DefaultFusion::kNone,
                              .decide_per = env::DecidePer::kOp});
  WarnOfMeasured(options.graph, problem, console);
  MachineFigures figures{.name = problem.hardware().name, .bound = problem.problem_bound()};
  std::vector<SimTime> least;
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const auto devices = problem.AllowedDevices(problem.grouping().group_of[i]);
    const auto time_on = [&](DeviceId device) { return problem.costs().time(OpId(i), device); };
    least.push_back(std::ranges::min(devices | std::views::transform(time_on)));
    figures.work += least.back();
  }
  figures.critical_path = sim::LongestPath(*graph, least);
  for (std::size_t d = 0; d < problem.hardware().num_devices(); ++d) {
    figures.capacity += problem.hardware().capacity(DeviceId(d));
  }
  return figures;
}

// Whole numbers of FLOPs print as such.
Json Whole(double value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  return value <= kLargestExact && value == std::floor(value)
             ? Json(static_cast<std::int64_t>(value))
             : Json(value);
}

Json ShareJson(const Share& share) {
  return {{"ops", share.ops}, {"flops", Whole(share.flops)}, {"bytes", share.bytes.count}};
}

std::string PhaseName(std::size_t phase) {
  return std::string(sim::NameOf(static_cast<sim::Phase>(phase)));
}

Json JsonOf(const sim::OpGraph& graph, const GraphFigures& figures) {
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
               {"measured", sim::NameOf(graph.measured())},
               {"measured_ops", figures.num_measured},
               {"phases", Json::object()},
               {"types", Json::array()}};
  for (std::size_t phase = 0; phase < kNumPhases; ++phase) {
    if (figures.phases[phase].ops > 0) {
      json["phases"][PhaseName(phase)] = ShareJson(figures.phases[phase]);
    }
  }
  for (const auto& [type, share] : figures.types) {
    Json entry = {{"type", type}};
    entry.update(ShareJson(share));
    json["types"].push_back(std::move(entry));
  }
  return json;
}

Json JsonOf(const MachineFigures& machine) {
  return {{"name", machine.name},
          {"critical_path_s", machine.critical_path.seconds()},
          {"work_s", machine.work.seconds()},
          {"problem_bound_s", machine.bound.seconds()},
          {"memory_bytes", machine.capacity.count}};
}

void AddRow(const std::string& name, const Share& share, TextTable& table) {
  table.AddRow({OneLine(name),
                std::to_string(share.ops),
                Fixed(share.flops / 1e9, 3),
                BytesText(share.bytes)});
}

TextTable ShareTable(const std::string& title) {
  return TextTable({{.title = title},
                    {.title = "ops", .align = Align::kRight},
                    {.title = "GFLOP", .align = Align::kRight},
                    {.title = "outputs", .align = Align::kRight}});
}

void PrintTables(const GraphFigures& figures, std::ostream& out) {
  TextTable phases = ShareTable("phase");
  for (std::size_t phase = 0; phase < kNumPhases; ++phase) {
    if (figures.phases[phase].ops > 0) {
      AddRow(PhaseName(phase), figures.phases[phase], phases);
    }
  }
  TextTable types = ShareTable("type");
  for (const auto& [type, share] : figures.types) {
    AddRow(type, share, types);
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
      << " at some time (without fusion)\n";
  if (!graph.origin().empty()) {
    out << "origin: " << OneLine(graph.origin()) << '\n';
  }
  if (figures.num_measured > 0) {
    out << "measured times: " << figures.num_measured << " ops, "
        << (graph.measured() == sim::Measured::kKernel ? "of kernels without their launch\n"
                                                       : "with the launch of their kernel\n");
  }
}

void PrintText(const MachineFigures& machine, std::ostream& out) {
  out << "on " << OneLine(machine.name) << " (" << BytesText(machine.capacity)
      << " in all), each op where it is fastest: critical path " << TimeText(machine.critical_path)
      << ", all ops one after another " << TimeText(machine.work)
      << "; no plan without fusion is faster than " << TimeText(machine.bound) << '\n';
}

}  // namespace

int PrintGraphInfo(const GraphInfoOptions& options, const Console& console) {
  const auto graph = LoadGraph(options.graph, NoticesOn(console));
  const GraphFigures figures = FiguresOf(*graph);
  std::optional<MachineFigures> machine;
  if (options.hardware.has_value()) {
    machine = FiguresOn(graph, options, console);
  }
  if (options.json) {
    Json json = JsonOf(*graph, figures);
    if (machine.has_value()) {
      json["machine"] = JsonOf(*machine);
    }
    console.out << json.dump() << '\n';
    return kSuccess;
  }
  PrintText(*graph, figures, console.out);
  if (machine.has_value()) {
    PrintText(*machine, console.out);
  }
  PrintTables(figures, console.out);
  return kSuccess;
}

}  // namespace opyard::experiments
