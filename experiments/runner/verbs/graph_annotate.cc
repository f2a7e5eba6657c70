#include "experiments/runner/verbs/graph_annotate.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/runner/graphs/import_text.h"
#include "experiments/runner/graphs/op_timings.h"
#include "experiments/runner/out_file.h"
#include "experiments/text/figures.h"
#include "sim/io/graph_json.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostListed = 20;

// The names of the ops that have no time.
std::vector<std::string> UntimedOps(const sim::OpGraph& graph, const TimingMatch& match) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (!match.seconds.contains(OpId(i).value)) {
      names.push_back(graph.op(OpId(i)).name);
    }
  }
  return names;
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

}  // namespace

int AnnotateGraph(const GraphAnnotateOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const auto graph = LoadGraph(options.graph, console);
  const std::vector<Timing> timings = ReadTimings(options.times, ProfiledTypes(*graph));
  const TimingMatch match = Match(*graph, timings);
  const std::vector<std::string> untimed = UntimedOps(*graph, match);
  if (!match.seconds.empty()) {
    out.Write(sim::WriteGraphText(*WithTimes(*graph, match, options.device)));
  }
  if (options.json) {
    const nlohmann::ordered_json json = {{"ops", graph->num_ops()},
                                         {"timings", timings.size()},
                                         {"matched_by_name", match.num_by_name},
                                         {"matched_by_order", match.num_by_order},
                                         {"untimed_ops", untimed},
                                         {"unmatched_timings", match.unmatched}};
    console.out << json.dump() << '\n';
  } else {
    out.text() << timings.size() << " timings for " << graph->num_ops()
               << " ops: " << match.num_by_name << " ops matched by name, " << match.num_by_order
               << " by type and order\n";
    PrintList("ops without a time", untimed, out.text());
    PrintList("names of timings that match no op", match.unmatched, out.text());
  }
  if (match.seconds.empty()) {
    console.err << "no timing matches an op; nothing written\n";
    return kAnswerIsNo;
  }
  return kSuccess;
}

}  // namespace opyard::experiments
