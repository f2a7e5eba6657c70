#include "experiments/cli/arguments/graph_arguments.h"

#include <cstdint>
#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/arguments/value_checks.h"
#include "experiments/cli/subcommands/graph/annotate.h"
#include "experiments/cli/subcommands/graph/coarsen.h"
#include "experiments/cli/subcommands/graph/convert.h"
#include "experiments/cli/subcommands/graph/diff.h"
#include "experiments/cli/subcommands/graph/info.h"
#include "experiments/cli/subcommands/graph/list.h"
#include "experiments/cli/subcommands/graph/sample.h"
#include "experiments/cli/subcommands/graph/show.h"
#include "experiments/cli/subcommands/graph/workloads.h"

namespace opyard::experiments {
namespace {

constexpr const char* kGraphHelp = "graph file, name or family";

void AddGraphArgument(CLI::App& subcommand, std::string& graph) {
  subcommand.add_option("graph", graph, kGraphHelp)->required()->type_name("GRAPH");
}

void AddInfo(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "info",
                     .summary = "counts, FLOPs, bytes, depth of a graph",
                     .examples = "  opyard graph info inception_v3 --hardware p100x2-pcie\n"
                                 "  opyard graph info 'zoo:rnnlm?layers=2'"});
  const auto options = std::make_shared<GraphInfoOptions>();
  AddGraphArgument(subcommand, options->graph);
  subcommand
      .add_option("--hardware", options->hardware, "adds critical path and bounds on a machine")
      ->type_name("MACHINE");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &PrintGraphInfo);
}

void AddList(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(group,
                                       {.name = "list",
                                        .summary = "the graphs that can be named",
                                        .examples = "  opyard graph list"});
  const auto options = std::make_shared<GraphListOptions>();
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &PrintGraphList);
}

void AddCoarsen(CLI::App& group, Command& command) {
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

void AddShow(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(group,
                                       {.name = "show",
                                        .summary = "render a graph",
                                        .examples = "  opyard graph show gnmt2 --dot > gnmt2.dot"});
  const auto options = std::make_shared<GraphShowOptions>();
  AddGraphArgument(subcommand, options->graph);
  subcommand.add_flag("--dot", options->dot, "DOT text for Graphviz, coloured by phase");
  CLI::Option& plan =
      *subcommand.add_option("--plan", options->plan, "plan file: colour by device");
  plan.type_name("PLAN");
  subcommand.add_option("--hardware", options->hardware, "the machine of the plan")
      ->type_name("MACHINE")
      ->needs(&plan);
  plan.needs("--hardware");
  Choose(subcommand, command, options, &ShowGraph);
}

void AddDiff(CLI::App& group, Command& command) {
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

void AddAnnotate(CLI::App& group, Command& command) {
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

void AddSample(CLI::App& group, Command& command) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "sample",
                     .summary = "write hard graphs of a family, to learn from",
                     .examples = "  opyard graph sample 'random:regal?n=100' --hardware "
                                 "p100x2-pcie --count 10 --out hard"});
  const auto options = std::make_shared<GraphSampleOptions>();
  subcommand.add_option("family", options->family, "generator without a seed: random:regal?n=100")
      ->required()
      ->type_name("FAMILY");
  subcommand.add_option("--hardware", options->hardware, "machine file or name")
      ->required()
      ->type_name("MACHINE");
  subcommand.add_option("--count", options->count, "graphs to write")
      ->required()
      ->check(WholeNumber(1, 1'000'000));
  subcommand.add_option("--out", options->out, "folder to write to")->required()->type_name("DIR");
  subcommand
      .add_option("--seed", options->seed, "seed of the first graph that is tried (default: 0)")
      ->check(WholeNumber(0, kMost));
  subcommand
      .add_option("--objective", options->objective, "as opyard place takes it (default: makespan)")
      ->type_name("OBJECTIVE");
  subcommand.add_option("--few", options->few, "plans of the short search (default: 200)")
      ->check(WholeNumber(1, kMost));
  subcommand.add_option("--many", options->many, "plans of the long one (default: 5000)")
      ->check(WholeNumber(1, kMost));
  Choose(subcommand, command, options, &SampleGraphs);
}

void AddWorkloads(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "workloads",
                     .summary = "print docs/workloads.md: the published workloads",
                     .examples = "  opyard graph workloads > docs/workloads.md"});
  const auto options = std::make_shared<GraphWorkloadsOptions>();
  Choose(subcommand, command, options, &PrintWorkloads);
}

void AddConvert(CLI::App& group, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      group,
      {.name = "convert",
       .summary = "read a graph of any tool, write ours, GraphML or DOT",
       .examples = "  opyard graph convert step.pb --out step.graph.json\n"
                   "  opyard graph convert gnmt2 --out gnmt2.graphml\n"
                   "  opyard graph convert model.onnx --out model.graph.json   (Python package)"});
  const auto options = std::make_shared<GraphConvertOptions>();
  subcommand.add_option("graph", options->graph, "file to read, or a graph that can be named")
      ->required()
      ->type_name("IN");
  subcommand.add_option("--out", options->out, "file to write: .json, .graphml or .dot")
      ->required()
      ->type_name("OUT");
  subcommand.add_option("--from", options->from, "format, if it is not found: " + ImporterHelp())
      ->type_name("FORMAT");
  subcommand.add_option("--dim", options->dim, "size of the extents that the file leaves open")
      ->type_name("N");
  subcommand
      .add_option("--option", options->options, "one option of the format (docs/importing.md)")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &ConvertGraph);
}

}  // namespace

void AddGraphArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(
      app, {.name = "graph", .summary = "graphs", .examples = "  opyard graph info gnmt2"});
  AddInfo(group, command);
  AddList(group, command);
  AddCoarsen(group, command);
  AddShow(group, command);
  AddDiff(group, command);
  AddAnnotate(group, command);
  AddSample(group, command);
  AddWorkloads(group, command);
  AddConvert(group, command);
}

}  // namespace opyard::experiments
