#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/graph/graph_json.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

constexpr const char* kSplitPlan =
    R"({"format": "opyard-plan/1", "graph": "toy", "placement": ["gpu0", "gpu0", "gpu1"]})";

TEST(GraphInfoTest, CountsByPhaseAndTypeAndBoundsMemory) {
  const Workplace place;
  const Ended ended = RunCommand({"graph", "info", place.Path("toy.graph.json"), "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("width"), 2);                   // b and c behind a
  EXPECT_EQ(json.at("activation_bytes"), 1000030);  // no output aliases anything
  // 11 of parameters; c holds its input of 1,000,000 and its output of 17 at once.
  EXPECT_EQ(json.at("memory_bound_bytes"), 1000028);
  EXPECT_EQ(json.at("phases").at("unknown").at("ops"), 3);
  ASSERT_EQ(json.at("types").size(), 2U);
  EXPECT_EQ(json.at("types")[0],
            nlohmann::json::parse(R"({"type": "Custom", "ops": 2, "flops": 0, "bytes": 30})"));
  EXPECT_EQ(json.at("types")[1].at("type"), "MatMul");
  EXPECT_FALSE(json.contains("machine"));
}

TEST(GraphInfoTest, AMachineAddsTheCriticalPath) {
  const Workplace place;
  const Ended ended = RunCommand({"graph",
                                  "info",
                                  place.Path("toy.graph.json"),
                                  "--hardware",
                                  place.Path("machines/two.yaml"),
                                  "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json machine = ended.Json().at("machine");
  EXPECT_EQ(machine.at("critical_path_s"), 0.007);  // a 2 ms, c 5 ms
  EXPECT_EQ(machine.at("work_s"), 0.010);           // 2 + 3 + 5 ms
  EXPECT_EQ(machine.at("problem_bound_s"), 0.007);
  EXPECT_EQ(machine.at("memory_bytes"), 2147483648);  // 2 · 1 GiB
}

// Its bounds add measured times and those of the cost model, as a simulation does.
TEST(GraphInfoTest, AMachineThatLeavesOpsToTheCostModelIsWarnedOf) {
  const Workplace place;
  const std::string graph = place.Write("half.graph.json", R"({"format": "opyard-graph/1",
 "name": "half", "ops": [{"name": "a", "type": "Relu", "outputs": [], "seconds": {"*": 1e-3}},
                         {"name": "b", "type": "Relu", "outputs": [], "flops": 8}]})");
  const std::string machine = place.Path("machines/two.yaml");
  const Ended ended = RunCommand({"graph", "info", graph, "--hardware", machine});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("not all times are measured"));
  EXPECT_THAT(ended.err, HasSubstr("1 ops are left to the cost model: b"));
  EXPECT_EQ(RunCommand({"graph", "info", graph}).err, "");
}

TEST(GraphCoarsenTest, WritesALabelOnEveryOp) {
  const Workplace place;
  const std::string out = place.Path("coarse.graph.json");
  const Ended ended = RunCommand(
      {"graph", "coarsen", "zoo:vgg16?scale=tiny", "--max-groups", "12", "--out", out, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("groups"), 12);
  const auto graph = sim::ReadGraphFile(out);
  EXPECT_EQ(graph->colocation_labels().size(), 12U);
  EXPECT_TRUE(std::ranges::all_of(graph->ops(),
                                  [](const sim::Op& op) { return op.colocation.has_value(); }));
  EXPECT_EQ(ended.Json().at("ops"), graph->num_ops());
}

TEST(GraphSubcommandsTest, WhatMeasuredTimesHoldGoesThroughAllSubcommands) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("\"origin\""), 0, "\"measured\": \"kernel\", ");
  const std::string kernels = place.Write("kernels.graph.json", graph);
  const auto measured_after = [&](std::vector<std::string> args, const std::string& name) {
    const std::string out = place.Path(name);
    args.insert(args.begin(), "graph");
    args.insert(args.end(), {"--out", out});
    EXPECT_EQ(RunCommand(args).status, 0);
    return RunCommand({"graph", "info", out, "--json"}).Json().at("measured");
  };
  EXPECT_EQ(measured_after({"convert", kernels}, "k.graph.json.gz"), "kernel");
  EXPECT_EQ(measured_after({"convert", kernels}, "k.graphml"), "kernel");
  EXPECT_EQ(measured_after({"coarsen", kernels, "--max-groups", "2"}, "c.graph.json"), "kernel");
  EXPECT_THAT(RunCommand({"graph", "info", kernels}).out,
              HasSubstr("measured times: 3 ops, of kernels without their launch\n"));
  const Ended difference = RunCommand({"graph", "diff", place.Path("toy.graph.json"), kernels});
  EXPECT_EQ(difference.status, 1);
  EXPECT_EQ(difference.out, "~ the graph: measured (default) -> \"kernel\"\n");
}

TEST(GraphCoarsenTest, TheRuleDecidesWhatGrowsTogether) {
  const Workplace place;
  // a → {b, c, d}, and d → e. By readers d goes to e, which alone reads it; a has one region of
  // all.
  const std::string graph = place.Write("fork.graph.json",
                                        R"({"format": "opyard-graph/1", "name": "fork", "ops": [
 {"name": "a", "type": "X", "outputs": [{"bytes": 8}]},
 {"name": "b", "type": "X", "inputs": [[0, 0]]},
 {"name": "c", "type": "X", "inputs": [[0, 0]]},
 {"name": "d", "type": "X", "inputs": [[0, 0]], "outputs": [{"bytes": 8}]},
 {"name": "e", "type": "X", "inputs": [[3, 0]]}]})");
  const auto num_groups = [&](const std::string& rule) {
    const Ended ended = RunCommand({"graph",
                                    "coarsen",
                                    graph,
                                    "--max-groups",
                                    "2",
                                    "--rule",
                                    rule,
                                    "--out",
                                    place.Path("c.graph.json"),
                                    "--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.Json().at("groups").get<int>();
  };
  EXPECT_EQ(num_groups("dominators"), 1);  // 5 ops: as many as 2 · 5 / 2 allow
  EXPECT_EQ(num_groups("readers"), 2);     // from {a}, {b}, {c}, {d, e}
}

TEST(GraphMicrobatchTest, WritesTheStepOverMicrobatches) {
  const Workplace place;
  const std::string out = place.Path("four.graph.json");
  const Ended ended = RunCommand({"graph",
                                  "microbatch",
                                  "zoo:vgg16?scale=tiny",
                                  "--microbatches",
                                  "4",
                                  "--out",
                                  out,
                                  "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("batch"), 32);
  EXPECT_EQ(ended.Json().at("accumulate_ops"), 4 * 32);  // 16 layers with weights and biases
  EXPECT_EQ(ended.Json().at("microbatch_ops"), sim::ReadGraphFile(out)->num_ops());
}

TEST(GraphMicrobatchTest, NumbersThatAreNotLegalAreRefused) {
  const Workplace place;
  const auto error_of = [&](const std::string& microbatches) {
    const Ended ended = RunCommand({"graph",
                                    "microbatch",
                                    "zoo:vgg16?scale=tiny",
                                    "--microbatches",
                                    microbatches,
                                    "--out",
                                    place.Path("m.graph.json")});
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_THAT(error_of("3"), HasSubstr("expected a divisor of the batch, 32"));
  EXPECT_THAT(error_of("0"), HasSubstr("--microbatches"));
}

TEST(GraphCoarsenTest, NeverMixesKindsOfDevices) {
  const Workplace place;
  const std::string graph = place.Write("kinds.graph.json",
                                        R"({"format": "opyard-graph/1", "name": "kinds", "ops": [
 {"name": "a", "type": "X", "device_kinds": ["cpu"], "outputs": [{"bytes": 8}]},
 {"name": "b", "type": "X", "device_kinds": ["gpu"], "inputs": [[0, 0]]}]})");
  const Ended ended = RunCommand(
      {"graph", "coarsen", graph, "--max-groups", "1", "--out", place.Path("c.graph.json")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("more than 1 groups"));
}

TEST(GraphShowTest, SamplesOpsEdgesAndPhases) {
  const Workplace place;
  const Ended ended = RunCommand({"graph", "show", place.Path("toy.graph.json"), "--dot"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, ::testing::StartsWith("digraph \"toy\" {\n"));
  EXPECT_THAT(ended.out, HasSubstr("op0 [label=\"a (MatMul)\", fillcolor=\"#8dd3c7\"];\n"));
  EXPECT_THAT(ended.out, HasSubstr("op0->op2 [label=\"976.56 KiB\"];\n"));
  EXPECT_THAT(ended.out, HasSubstr("legend0 [label=\"unknown\""));
  EXPECT_EQ(RunCommand({"graph", "show", place.Path("toy.graph.json")}).status, 2);
}

TEST(GraphShowTest, APlanColoursByDevice) {
  const Workplace place;
  const std::string plan = place.Write("p.plan.json", kSplitPlan);
  const std::string graph = place.Path("toy.graph.json");
  const std::string machine = place.Path("machines/two.yaml");
  const Ended ended =
      RunCommand({"graph", "show", graph, "--dot", "--plan", plan, "--hardware", machine});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("legend1 [label=\"gpu1\", fillcolor=\"#ffffb3\"]"));
  EXPECT_THAT(ended.out, HasSubstr("op1 [label=\"b (Custom)\", fillcolor=\"#8dd3c7\"]"));
  EXPECT_THAT(ended.out, HasSubstr("op2 [label=\"c (Custom)\", fillcolor=\"#ffffb3\"]"));
  EXPECT_EQ(RunCommand({"graph", "show", graph, "--dot", "--plan", plan}).status, 2);
}

TEST(GraphShowTest, NamesCannotLeaveTheirQuotes) {
  const Workplace place;
  const std::string graph = place.Write("q.graph.json",
                                        R"({"format": "opyard-graph/1", "name": "q", "ops": [
 {"name": "a\"]; \\n\nb", "type": "X"}]})");
  EXPECT_THAT(RunCommand({"graph", "show", graph, "--dot"}).out,
              HasSubstr(R"dot(op0 [label="a\"]; \\n?b (X)", )dot"));
}

TEST(GraphDiffTest, EndsWithOneWhereGraphsDiffer) {
  const Workplace place;
  const std::string graph = place.Path("toy.graph.json");
  EXPECT_EQ(RunCommand({"graph", "diff", graph, graph}).status, 0);
  std::string text = testing::kTinyGraph;
  text.replace(text.find("\"flops\": 7"), 10, "\"flops\": 8");
  const Ended ended = RunCommand({"graph", "diff", graph, place.Write("o.graph.json", text)});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out, "~ a: flops 7 -> 8\n");
}

TEST(GraphDiffTest, JsonHoldsTheValues) {
  const Workplace place;
  std::string text = testing::kTinyGraph;
  text.replace(text.find("\"b\""), 3, "\"d\"");
  const Ended ended = RunCommand(
      {"graph", "diff", place.Path("toy.graph.json"), place.Write("o.graph.json", text), "--json"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.Json(),
            nlohmann::json::parse(R"({"equal": false, "only_before": ["b"], "only_after": ["d"],
                                      "changes": [], "other_order": false})"));
}

TEST(GraphAnnotateTest, AttachesTimesAndListsWhatIsLeft) {
  const Workplace place;
  const std::string times = place.Write("t.csv", "op,us\na,120\ncustom,5\nx,1\n");
  const std::string out = place.Path("timed.graph.json");
  const Ended ended = RunCommand({"graph",
                                  "annotate",
                                  place.Path("toy.graph.json"),
                                  "--times",
                                  times,
                                  "--device",
                                  "tiny",
                                  "--hardware",
                                  place.Path("machines/two.yaml"),
                                  "--out",
                                  out});
  ASSERT_EQ(ended.status, 0) << ended.err;
  // One "custom" for two ops of that type does not come out even.
  EXPECT_EQ(
      ended.out,
      "3 timings for 3 ops: 1 ops matched by name, 0 by type and order\n"
      "the times hold the launch of their kernel\n"
      // b and c read 1 MB each and have no FLOPs; a makes it.
      "2 ops without a time, left to the cost model (0.0 % of the FLOPs, 66.7 % of the memory "
      "traffic):\n  b\n  c\n"
      // 5 and 1 of 126 us
      "2 names of timings that match no op (4.8 % of the time):\n  custom: 4.0 %\n"
      "  x: 0.8 %\n");
  const auto graph = sim::ReadGraphFile(out);
  const auto measured = graph->measured_times(OpId(std::size_t{0}));
  EXPECT_TRUE(std::ranges::any_of(measured, [](const sim::MeasuredTime& time) {
    return time.where == "tiny" && time.seconds == 120 * 1e-6;
  }));
  EXPECT_EQ(measured.size(), 2U);  // the one for * stays
}

TEST(GraphAnnotateTest, NothingIsWrittenWhereNothingMatches) {
  const Workplace place;
  const std::string out = place.Path("timed.graph.json");
  const Ended ended = RunCommand({"graph",
                                  "annotate",
                                  place.Path("toy.graph.json"),
                                  "--times",
                                  place.Write("t.csv", "op,us\nx,1\n"),
                                  "--device",
                                  "tiny",
                                  "--hardware",
                                  place.Path("machines/two.yaml"),
                                  "--out",
                                  out});
  EXPECT_EQ(ended.status, 1);
  EXPECT_FALSE(std::filesystem::exists(out));
}

// `graph annotate` of a graph of a Variable w, a (MatMul) and a view v of it, with a time for a.
Ended Annotate(const Workplace& place, const std::vector<std::string>& more) {
  const std::string graph = place.Write("views.graph.json",
                                        R"({"format": "opyard-graph/1", "name": "views", "ops": [
 {"name": "w", "type": "Variable", "param_bytes": 8, "outputs": [{"bytes": 8, "alias": "params"}]},
 {"name": "a", "type": "MatMul", "inputs": [[0, 0]], "outputs": [{"bytes": 8}]},
 {"name": "v", "type": "Reshape", "inputs": [[1, 0]], "outputs": [{"bytes": 8, "alias": 0}]}]})");
  std::vector<std::string> args = {"graph",
                                   "annotate",
                                   graph,
                                   "--times",
                                   place.Write("t.csv", "op,us\na,120\n"),
                                   "--out",
                                   place.Path("timed.graph.json")};
  args.insert(args.end(), more.begin(), more.end());
  return RunCommand(args);
}

TEST(GraphAnnotateTest, OpsThatTakeNoTimeAreNotListedAsMissing) {
  const Workplace place;
  const Ended ended = Annotate(place, {"--device", "gpu", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("untimed_ops"), nlohmann::json::array());
}

TEST(GraphAnnotateTest, SaysWhatTheTimesHold) {
  const Workplace place;
  const std::string out = place.Path("timed.graph.json");
  EXPECT_EQ(Annotate(place, {"--device", "*", "--json"}).Json().at("measured"), "with_launch");
  EXPECT_EQ(sim::ReadGraphFile(out)->measured(), sim::Measured::kWithLaunch);
  const Ended kernels = Annotate(place, {"--device", "*", "--measured", "kernel", "--json"});
  EXPECT_EQ(kernels.Json().at("measured"), "kernel");
  EXPECT_EQ(sim::ReadGraphFile(out)->measured(), sim::Measured::kKernel);
  EXPECT_EQ(Annotate(place, {"--device", "*", "--measured", "cold"}).status, 2);
}

TEST(GraphAnnotateTest, RefusesADeviceThatNoMachineHas) {
  const Workplace place;
  const Ended misspelt = Annotate(place, {"--device", "p100-pci-16gb"});
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean \"p100-pcie-16gb\"?"));
  EXPECT_EQ(Annotate(place, {"--device", "gpu1"}).status, 0);  // a device of p100x2-pcie
  EXPECT_EQ(Annotate(place, {"--device", "tiny"}).status, 2);
  const std::string machine = place.Path("machines/two.yaml");
  EXPECT_EQ(Annotate(place, {"--device", "tiny", "--hardware", machine}).status, 0);
  EXPECT_THAT(Annotate(place, {"--device", "gpu2", "--hardware", machine}).err,
              HasSubstr("gpu, gpu0, gpu1, tiny"));
}

TEST(GraphSampleTest, WritesHardGraphsOnly) {
  const Workplace place;
  const std::string out = place.Path("set");
  const std::vector<std::string> args = {"graph",
                                         "sample",
                                         "random:regal?n=30&unit=1",
                                         "--hardware",
                                         "regal",
                                         "--count",
                                         "1",
                                         "--out",
                                         out};
  const auto with = [&args](const std::string& few, const std::string& many) {
    std::vector<std::string> all = args;
    all.insert(all.end(), {"--few", few, "--many", many});
    return RunCommand(all);
  };
  const Ended kept = with("1", "300");
  ASSERT_EQ(kept.status, 0) << kept.err;
  std::size_t num_files = 0;
  for (const auto& file : std::filesystem::directory_iterator(out)) {
    EXPECT_EQ(sim::ReadGraphFile(file.path())->num_ops(), 30U);
    ++num_files;
  }
  EXPECT_EQ(num_files, 1U);
  // One evaluation more than 300 gains no fifth.
  EXPECT_EQ(with("300", "301").status, 1);
  EXPECT_EQ(with("5", "5").status, 2);
}

TEST(GraphSampleTest, KeepsATopologyOnce) {
  const Workplace place;
  const std::string out = place.Path("set");
  // None of these graphs has an edge: they are of one topology, with other sizes and times.
  const Ended ended = RunCommand({"graph",
                                  "sample",
                                  "random:regal?n=12&unit=1&topology=erdos_renyi&p=0",
                                  "--hardware",
                                  "regal",
                                  "--count",
                                  "2",
                                  "--few",
                                  "1",
                                  "--many",
                                  "100",
                                  "--out",
                                  out});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 of 40 graphs are hard"));  // 20 tries for each of two
  EXPECT_THAT(ended.out, HasSubstr("others repeat a topology"));
}

}  // namespace
}  // namespace opyard::experiments
