#include "experiments/cli/graph/coarsen.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/graphs/import_text.h"
#include "sim/graph/colocation.h"
#include "sim/graph/dominators.h"
#include "sim/graph/op_graph_parts.h"
#include "sim/graph/single_consumer.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::experiments {
namespace {

struct GraphCoarsenOptions {
  std::string graph;
  std::string out;  // a graph file
  std::int64_t max_groups = 0;
  std::string rule = "readers";  // or "dominators"
  bool json = false;
};

// Writes the graph with a co-location label, "group0" and so on, on every op: which ops are placed
// together. Co-location groups grow by what only one group reads (MergeSingleConsumers), or into
// regions that data enters in one place (MergeDominated), then along the heaviest edges
// (CoarsenGroups), until at most `max_groups` are left. Ops, edges and figures stay: any plan of
// groups is a plan of ops. kAnswerIsNo if there are more groups, because ops that may run on
// different kinds of device never share one.
[[nodiscard]] int CoarsenGraph(const GraphCoarsenOptions& options, const Console& console);

// The groups that the ops of a graph were put into.
struct Coarsening {
  std::size_t num_ops = 0;
  std::int32_t num_colocation_groups = 0;  // before
  std::int32_t num_groups = 0;
  std::int64_t largest_group_ops = 0;
};

// The answer with --json.
[[nodiscard]] std::string GraphCoarsenJson(const Coarsening& coarsening);

}  // namespace

void AddGraphCoarsenArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "coarsen",
       .summary = "group ops that are placed together",
       .examples = "  opyard graph coarsen gnmt2 --max-groups 64 --out coarse.graph.json"});
  const auto options = std::make_shared<GraphCoarsenOptions>();
  AddGraphArgument(subcommand, options->graph);
  subcommand.add_option("--max-groups", options->max_groups, "most groups")
      ->required()
      ->check(WholeNumber(1, 1'000'000));
  subcommand.add_option("--rule", options->rule, "what groups grow by first (default: readers)")
      ->check(CLI::IsMember({"readers", "dominators"}));
  subcommand.add_option("--out", options->out, "graph file to write, with a label on each op")
      ->required()
      ->type_name("OUT");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &CoarsenGraph);
}

namespace {

sim::Grouping GroupsOf(const sim::OpGraph& graph,
                       const std::string& rule,
                       std::int32_t max_groups) {
  // As large as CoarsenGroups lets a group grow, so that one sink does not swallow its graph.
  const auto most_ops = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, 2 * static_cast<std::int64_t>(graph.num_ops()) / max_groups));
  const sim::Grouping labels = sim::ColocationGroups(graph);
  const sim::Grouping merged = rule == "dominators"
                                   ? sim::MergeDominated(graph, labels, most_ops)
                                   : sim::MergeSingleConsumers(graph, labels, most_ops);
  return sim::CoarsenGroups(graph, merged, max_groups);
}

std::shared_ptr<const sim::OpGraph> Labelled(const sim::OpGraph& graph,
                                             const sim::Grouping& grouping) {
  sim::OpGraphBuilder builder(graph.name(), graph.origin());
  builder.SetMeasured(graph.measured());
  std::vector<sim::OpSpec> specs = sim::SpecsOf(graph);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    specs[i].colocation = "group" + std::to_string(grouping.group_of[i]);
    builder.AddOp(std::move(specs[i]));
  }
  return builder.Build();
}

std::int64_t LargestGroup(const sim::Grouping& grouping) {
  std::vector<std::int64_t> num_ops(static_cast<std::size_t>(grouping.num_groups));
  for (const std::int32_t group : grouping.group_of) {
    ++num_ops[static_cast<std::size_t>(group)];
  }
  return std::ranges::max(num_ops);
}

int CoarsenGraph(const GraphCoarsenOptions& options, const Console& console) {
  const OutFile out(options.out, console);
  if (options.json) {
    out.RefuseJson("--out");
  }
  const auto graph = LoadGraph(options.graph, NoticesOn(console));
  const sim::Grouping grouping =
      GroupsOf(*graph, options.rule, static_cast<std::int32_t>(options.max_groups));
  out.Write(sim::WriteGraphText(*Labelled(*graph, grouping)));
  const Coarsening coarsening{.num_ops = graph->num_ops(),
                              .num_colocation_groups = sim::ColocationGroups(*graph).num_groups,
                              .num_groups = grouping.num_groups,
                              .largest_group_ops = LargestGroup(grouping)};
  if (options.json) {
    console.out << GraphCoarsenJson(coarsening) << '\n';
  } else {
    out.text() << coarsening.num_ops << " ops in " << coarsening.num_groups << " groups ("
               << coarsening.num_colocation_groups << " by co-location alone), at most "
               << coarsening.largest_group_ops << " ops in one; graph in " << out.name() << '\n';
  }
  if (grouping.num_groups > options.max_groups) {
    console.err << "more than " << options.max_groups
                << " groups: ops that may run on different kinds of device never share one\n";
    return kAnswerIsNo;
  }
  return kSuccess;
}

std::string GraphCoarsenJson(const Coarsening& coarsening) {
  const nlohmann::ordered_json json = {{"ops", coarsening.num_ops},
                                       {"colocation_groups", coarsening.num_colocation_groups},
                                       {"groups", coarsening.num_groups},
                                       {"largest_group_ops", coarsening.largest_group_ops}};
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
