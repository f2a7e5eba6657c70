#include "experiments/runner/verbs/graph/annotate.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "experiments/runner/answers/graph_annotate_answer.h"
#include "experiments/runner/console/notice_printing.h"
#include "experiments/runner/console/out_file.h"
#include "experiments/runner/graphs/import_text.h"
#include "experiments/runner/graphs/op_timings.h"
#include "experiments/text/figures.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/cost/zero_cost.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostListed = 20;

// The names of the ops that take time and have none.
std::vector<std::string> UntimedOps(const sim::OpGraph& graph, const TimingMatch& match) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (!match.seconds.contains(OpId(i).value) && !sim::IsZeroCost(graph, OpId(i))) {
      names.push_back(graph.op(OpId(i)).name);
    }
  }
  return names;
}

Annotation AnnotationOf(const sim::OpGraph& graph,
                        const Timings& timings,
                        const GraphAnnotateOptions& options) {
  Annotation annotation{.num_ops = graph.num_ops(),
                        .num_timings = timings.list.size(),
                        .measured = options.measured.value_or(timings.measured),
                        .match = Match(graph, timings.list)};
  annotation.untimed = UntimedOps(graph, annotation.match);
  return annotation;
}

void PrintList(const std::string& title, const std::vector<std::string>& names, std::ostream& out) {
  if (names.empty()) {
    return;
  }
  out << names.size() << ' ' << title << ":\n";
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    out << "  " << OneLine(names[i]) << '\n';
  }
  if (names.size() > kMostListed) {
    out << "  and " << names.size() - kMostListed << " more (--json lists all)\n";
  }
}

void PrintText(const Annotation& annotation, std::ostream& out) {
  const TimingMatch& match = annotation.match;
  out << annotation.num_timings << " timings for " << annotation.num_ops
      << " ops: " << match.num_by_name << " ops matched by name, " << match.num_by_order
      << " by type and order\n"
      << (annotation.measured == sim::Measured::kKernel
              ? "the times are those of kernels: a simulation adds the device's launch\n"
              : "the times hold the launch of their kernel\n");
  PrintList("ops without a time", annotation.untimed, out);
  PrintList("names of timings that match no op", match.unmatched, out);
}

void AddDevicesOf(const std::string& machine, std::set<std::string>& places) {
  const auto hardware = sim::LoadMachine(machine);
  for (const sim::Device& device : hardware->devices) {
    places.insert({device.name, device.type, std::string(sim::NameOf(device.kind))});
  }
}

// What times can be measured on: the devices of the machine `hardware` or, without one, of all
// shipped machines, and their types.
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

}  // namespace

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

}  // namespace opyard::experiments
