#include "experiments/cli/graph/annotate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/graphs/import_text.h"
#include "experiments/graphs/op_timings.h"
#include "experiments/graphs/timing_match.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/cost/zero_cost.h"
#include "sim/graph/op.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

struct GraphAnnotateOptions {
  std::string graph;
  std::string times;     // a table or a trace (op_timings.h)
  std::string device;    // what the times hold for: a device name, type or kind, or *
  std::string hardware;  // the machine that `device` is of; "" for any of the shipped
  std::optional<sim::Measured> measured;  // what the times hold; by default as the file says
  std::string out;                        // a graph file
  bool json = false;
};

// Writes the graph with the measured times of its ops. Says how many ops were matched by name, by
// order and by neighbours, which ops that take time have none, and which timings match nothing,
// with their share of the time. Returns kAnswerIsNo, and writes nothing, if no timing matches.
// Throws InputError for a device that no machine has.
[[nodiscard]] int AnnotateGraph(const GraphAnnotateOptions& options, const Console& console);

// The fit of the timings of a file to a graph.
struct Annotation {
  std::size_t num_ops = 0;
  std::size_t num_timings = 0;
  sim::Measured measured = sim::Measured::kWithLaunch;  // what the timings hold
  bool is_trace = false;
  std::int64_t num_lost = 0;  // kernels without a time
  TimingMatch match;
  std::vector<std::string> untimed;  // names of ops that take time and have none
  double untimed_flops = 0.0;        // theirs, as a share of the graph's
  double untimed_bytes = 0.0;        // the same of memory traffic

  // The seconds of the file that no op has.
  [[nodiscard]] double UnmatchedSeconds() const;
};

// The answer with --json.
[[nodiscard]] std::string GraphAnnotateJson(const Annotation& annotation);

}  // namespace

void AddGraphAnnotateArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "annotate",
                     .summary = "attach measured times to the ops",
                     .examples = "  opyard graph annotate mine.graph.json --times "
                                 "trace.json --device gpu --out timed.graph.json"});
  const auto options = std::make_shared<GraphAnnotateOptions>();
  AddGraphArgument(subcommand, options->graph);
  subcommand
      .add_option(
          "--times",
          options->times,
          "a table (.csv: op; seconds, ms or us) or a profiler's trace (.json; .gz of both)")
      ->required()
      ->type_name("FILE");
  subcommand
      .add_option("--device", options->device, "device name, type or kind that they hold for, or *")
      ->required()
      ->type_name("TYPE");
  subcommand
      .add_option("--hardware", options->hardware, "machine that the device is of (default: any)")
      ->type_name("MACHINE");
  subcommand
      .add_option_function<std::string>(
          "--measured",
          [options](const std::string& name) { options->measured = sim::FindMeasured(name); },
          "what the times hold: kernel or with_launch (default: kernel for GPU kernels in a trace)")
      ->check(CLI::IsMember({"kernel", "with_launch"}))
      ->type_name("WHAT");
  subcommand.add_option("--out", options->out, "graph file to write")->required()->type_name("OUT");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &AnnotateGraph);
}

namespace {

constexpr std::size_t kMostListed = 20;

// Finds the ops that take time and have none, and their share of the graph.
void FindUntimedOps(const sim::OpGraph& graph, Annotation& annotation) {
  double flops = 0.0;
  double bytes = 0.0;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (sim::IsZeroCost(graph, OpId(i))) {
      continue;
    }
    const sim::Op& op = graph.op(OpId(i));
    const auto op_bytes = static_cast<double>(op.bytes_accessed.count);
    flops += op.flops.count;
    bytes += op_bytes;
    if (!annotation.match.seconds.contains(OpId(i).value)) {
      annotation.untimed.push_back(op.name);
      annotation.untimed_flops += op.flops.count;
      annotation.untimed_bytes += op_bytes;
    }
  }
  annotation.untimed_flops /= std::max(flops, 1.0);
  annotation.untimed_bytes /= std::max(bytes, 1.0);
}

Annotation AnnotationOf(const sim::OpGraph& graph,
                        const Timings& timings,
                        const GraphAnnotateOptions& options) {
  Annotation annotation{.num_ops = graph.num_ops(),
                        .num_timings = timings.list.size(),
                        .measured = options.measured.value_or(timings.measured),
                        .is_trace = timings.is_trace,
                        .num_lost = timings.num_lost,
                        .match = Match(graph, timings)};
  FindUntimedOps(graph, annotation);
  return annotation;
}

std::string PercentOf(double part) {
  return Fixed(part * 100.0, 1) + " %";
}

void PrintUntimed(const Annotation& annotation, std::ostream& out) {
  const std::vector<std::string>& names = annotation.untimed;
  if (names.empty()) {
    return;
  }
  out << names.size() << " ops without a time, left to the cost model ("
      << PercentOf(annotation.untimed_flops) << " of the FLOPs, "
      << PercentOf(annotation.untimed_bytes) << " of the memory traffic):\n";
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    out << "  " << OneLine(names[i]) << '\n';
  }
  if (names.size() > kMostListed) {
    out << "  and " << names.size() - kMostListed << " more (--json lists all)\n";
  }
}

void PrintUnmatched(const Annotation& annotation, std::ostream& out) {
  const std::vector<UnmatchedTimings>& unmatched = annotation.match.unmatched;
  if (unmatched.empty()) {
    return;
  }
  const double total = std::max(annotation.match.total_s, 1e-12);
  out << unmatched.size() << " names of timings that match no op ("
      << PercentOf(annotation.UnmatchedSeconds() / total) << " of the time):\n";
  double rest = annotation.UnmatchedSeconds();
  for (std::size_t i = 0; i < std::min(unmatched.size(), kMostListed); ++i) {
    out << "  " << OneLine(unmatched[i].name) << ": " << PercentOf(unmatched[i].seconds / total)
        << '\n';
    rest -= unmatched[i].seconds;
  }
  if (unmatched.size() > kMostListed) {
    out << "  and " << unmatched.size() - kMostListed << " more, together "
        << PercentOf(std::max(rest, 0.0) / total) << " (--json lists all)\n";
  }
}

void PrintText(const Annotation& annotation, std::ostream& out) {
  const TimingMatch& match = annotation.match;
  out << annotation.num_timings << " timings for " << annotation.num_ops
      << " ops: " << match.num_by_name << " ops matched by name, " << match.num_by_order
      << " by type and order"
      << (match.num_by_neighbours > 0
              ? ", " + std::to_string(match.num_by_neighbours) + " by their neighbours"
              : "")
      << '\n'
      << (annotation.measured == sim::Measured::kKernel
              ? "the times are those of kernels: a simulation adds the device's launch\n"
              : "the times hold the launch of their kernel\n");
  if (annotation.num_lost > 0) {
    out << annotation.num_lost
        << " kernels or copies have no duration, their records were lost: not counted, and what "
           "launched them is not measured\n";
  }
  PrintUntimed(annotation, out);
  PrintUnmatched(annotation, out);
}

void AddDevicesOf(const std::string& machine, std::set<std::string>& places) {
  const auto hardware = sim::LoadMachine(machine);
  for (const sim::Device& device : hardware->devices) {
    places.insert({device.name, device.type, std::string(sim::NameOf(device.kind))});
  }
}

// The devices, and their types, on which times can be measured: those of the machine `hardware` or,
// without one, of all shipped machines.
std::set<std::string> PlacesOf(const std::string& hardware) {
  std::set<std::string> places;
  if (!hardware.empty()) {
    AddDevicesOf(hardware, places);
    return places;
  }
  for (const sim::ShippedProfile& profile : sim::ListShippedProfiles()) {
    if (profile.is_machine) {
      AddDevicesOf(profile.name, places);
    } else {
      places.insert(profile.name);
    }
  }
  return places;
}

// A misspelt device would keep its times from every simulation.
void CheckDevice(const GraphAnnotateOptions& options) {
  if (options.device == "*" || sim::FindDeviceKind(options.device).has_value()) {
    return;
  }
  const std::set<std::string> places = PlacesOf(options.hardware);
  if (!places.contains(options.device)) {
    const std::vector<std::string> known(places.begin(), places.end());
    throw InputError("--device: found " + Quoted(options.device) +
                     ", expected *, a kind (gpu, cpu, tpu, other) " +
                     (options.hardware.empty()
                          ? "or a type or name of a device of a shipped machine (opyard profile "
                            "list names them; for "
                            "another, say --hardware)"
                          : "or a type or name of a device of " + Quoted(options.hardware) + ": " +
                                JoinNames(known)) +
                     DidYouMean(options.device, known));
  }
}

int AnnotateGraph(const GraphAnnotateOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  CheckDevice(options);
  const auto graph = LoadGraph(options.graph, NoticesOn(console));
  const Timings timings = ReadTimings(options.times, ProfiledTypes(*graph));
  const Annotation annotation = AnnotationOf(*graph, timings, options);
  const bool is_any_matched = !annotation.match.seconds.empty();
  if (is_any_matched) {
    out.Write(sim::WriteGraphText(
        *WithTimes(*graph, annotation.match, options.device, annotation.measured)));
  }
  if (options.json) {
    console.out << GraphAnnotateJson(annotation) << '\n';
  } else {
    PrintText(annotation, out.text());
  }
  if (!is_any_matched) {
    console.err << "no timing matches an op; nothing written\n";
    return kAnswerIsNo;
  }
  return kSuccess;
}

using Json = nlohmann::ordered_json;

// The names, sorted.
std::vector<std::string> NamesOf(const std::vector<UnmatchedTimings>& unmatched) {
  std::vector<std::string> names;
  for (const UnmatchedTimings& timings : unmatched) {
    names.push_back(timings.name);
  }
  std::ranges::sort(names);
  return names;
}

Json UnmatchedJson(const TimingMatch& match) {
  Json list = Json::array();
  for (const UnmatchedTimings& timings : match.unmatched) {
    const double share = match.total_s > 0.0 ? timings.seconds / match.total_s : 0.0;
    list.push_back({{"name", timings.name},
                    {"timings", timings.num_timings},
                    {"seconds", timings.seconds},
                    {"share", share}});
  }
  return list;
}

double Annotation::UnmatchedSeconds() const {
  double seconds = 0.0;
  for (const UnmatchedTimings& timings : match.unmatched) {
    seconds += timings.seconds;
  }
  return seconds;
}

std::string GraphAnnotateJson(const Annotation& annotation) {
  const Json json = {{"ops", annotation.num_ops},
                     {"timings", annotation.num_timings},
                     {"measured", sim::NameOf(annotation.measured)},
                     {"matched_by_name", annotation.match.num_by_name},
                     {"matched_by_order", annotation.match.num_by_order},
                     {"matched_by_neighbours", annotation.match.num_by_neighbours},
                     {"seconds", annotation.match.total_s},
                     {"unmatched_seconds", annotation.UnmatchedSeconds()},
                     {"lost_kernels", annotation.num_lost},
                     {"untimed_ops", annotation.untimed},
                     {"untimed_flops", annotation.untimed_flops},
                     {"untimed_bytes", annotation.untimed_bytes},
                     {"unmatched_timings", NamesOf(annotation.match.unmatched)},
                     {"unmatched", UnmatchedJson(annotation.match)}};
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
