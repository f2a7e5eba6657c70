#include "experiments/cli/graph/diff.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/graphs/graph_difference.h"
#include "experiments/graphs/import_text.h"
#include "experiments/text/number_format.h"

namespace opyard::experiments {
namespace {

struct GraphDiffOptions {
  std::string before;
  std::string after;
  bool json = false;
};

// Prints every op and attribute that differ: "-" for what only the first graph has, "+" for what
// only the second has, "~" for what changed. kAnswerIsNo if the graphs differ.
[[nodiscard]] int DiffGraphs(const GraphDiffOptions& options, const Console& console);

// The answer with --json. A change of the graph itself has null for "op"; a default has null for
// its value.
[[nodiscard]] std::string GraphDiffJson(const GraphDifference& difference);

}  // namespace

void AddGraphDiffArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(group,
                                       {.name = "diff",
                                        .summary = "the differences between two graphs",
                                        .examples = "  opyard graph diff gnmt2 coarse.graph.json"});
  const auto options = std::make_shared<GraphDiffOptions>();
  subcommand.add_option("before", options->before, kGraphHelp)->required()->type_name("A");
  subcommand.add_option("after", options->after, kGraphHelp)->required()->type_name("B");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &DiffGraphs);
}

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

using Json = nlohmann::ordered_json;

Json ValueJson(const std::string& json) {
  return json.empty() ? Json(nullptr) : Json::parse(json);
}

std::string GraphDiffJson(const GraphDifference& difference) {
  Json changes = Json::array();
  for (const AttributeChange& change : difference.changes) {
    changes.push_back({{"op", change.op.empty() ? Json(nullptr) : Json(change.op)},
                       {"attribute", change.attribute},
                       {"before", ValueJson(change.before)},
                       {"after", ValueJson(change.after)}});
  }
  const Json json = {{"equal", difference.is_empty()},
                     {"only_before", difference.only_before},
                     {"only_after", difference.only_after},
                     {"changes", changes},
                     {"other_order", difference.has_other_order}};
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
