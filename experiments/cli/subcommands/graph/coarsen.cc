#include "experiments/cli/subcommands/graph/coarsen.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/cli/json/graph_coarsen_answer.h"
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

}  // namespace

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

}  // namespace opyard::experiments
