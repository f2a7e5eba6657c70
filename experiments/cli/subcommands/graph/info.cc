#include "experiments/cli/subcommands/graph/info.h"

#include <cstddef>
#include <optional>
#include <string>

#include "experiments/cli/json/graph_info_answer.h"
#include "experiments/console/notice_printing.h"
#include "experiments/graphs/graph_figures.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/measured_text.h"
#include "experiments/graphs/peaks_text.h"
#include "experiments/machines/machine_loading.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

void AddRow(const std::string& name, const GraphShare& share, TextTable& table) {
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
  for (std::size_t phase = 0; phase < GraphFigures::kNumPhases; ++phase) {
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

void PrintText(const MachineFigures& machine, const GraphFigures& figures, std::ostream& out) {
  const std::string mixed = MixedTimesText(machine.coverage);
  out << "on " << OneLine(machine.name) << " (" << BytesText(machine.capacity)
      << " in all), each op where it is fastest: critical path " << TimeText(machine.critical_path)
      << ", all ops one after another " << TimeText(machine.work)
      << "; no plan without fusion is faster than " << TimeText(machine.bound)
      << (mixed.empty() ? "" : ", a bound that " + mixed) << '\n'
      << "the whole graph needs " << BytesText(figures.one_device_peak)
      << " on one device: " << RoomsText(machine, figures.one_device_peak) << '\n';
}

}  // namespace

int PrintGraphInfo(const GraphInfoOptions& options, const Console& console) {
  const NoticeListener notices = NoticesOn(console);
  const auto graph = LoadGraph(options.graph, notices);
  const GraphFigures figures = FiguresOf(*graph);
  std::optional<MachineFigures> machine;
  if (options.hardware.has_value()) {
    const env::Problem problem = ProblemOfSingleOps(graph, LoadMachine(*options.hardware, notices));
    WarnOfMeasured(options.graph, problem, notices);
    WarnOfPeaks(options.graph, problem, notices);
    machine = FiguresOn(problem);
  }
  if (options.json) {
    console.out << GraphInfoJson(*graph, figures, machine) << '\n';
    return kSuccess;
  }
  PrintText(*graph, figures, console.out);
  if (machine.has_value()) {
    PrintText(*machine, figures, console.out);
  }
  PrintTables(figures, console.out);
  return kSuccess;
}

}  // namespace opyard::experiments
