#include "experiments/cli/subcommands/graph/diff.h"

#include "experiments/cli/json/graph_diff_answer.h"
#include "experiments/console/notice_printing.h"
#include "experiments/graphs/graph_difference.h"
#include "experiments/graphs/import_text.h"
#include "experiments/text/number_format.h"

namespace opyard::experiments {
namespace {

std::string ValueText(const std::string& json) {
  return json.empty() ? "(default)" : json;
}

void PrintText(const GraphDifference& difference, std::ostream& out) {
  for (const std::string& op : difference.only_before) {
    out << "- " << OneLine(op) << '\n';
  }
  for (const std::string& op : difference.only_after) {
    out << "+ " << OneLine(op) << '\n';
  }
  for (const AttributeChange& change : difference.changes) {
    out << "~ " << (change.op.empty() ? "the graph" : OneLine(change.op)) << ": "
        << change.attribute << ' ' << ValueText(change.before) << " -> " << ValueText(change.after)
        << '\n';
  }
  if (difference.has_other_order) {
    out << "the ops stand in another order\n";
  }
}

}  // namespace

int DiffGraphs(const GraphDiffOptions& options, const Console& console) {
  const auto before = LoadGraph(options.before, NoticesOn(console));
  const auto after = LoadGraph(options.after, NoticesOn(console));
  const GraphDifference difference = Compare(*before, *after);
  if (options.json) {
    console.out << GraphDiffJson(difference) << '\n';
  } else {
    PrintText(difference, console.out);
  }
  return difference.is_empty() ? kSuccess : kAnswerIsNo;
}

}  // namespace opyard::experiments
