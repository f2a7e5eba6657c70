// CostGraphDef texts and costed JSON.
#include <gtest/gtest.h>

#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

const char* const kCostGraph = R"(
node { name: "_SOURCE" }
node {                       # ids are not positions
  name: "b"  id: 9
  input_info { preceding_node: 7 preceding_port: 1 }
  output_info { size: 5 alias_input_port: -1 dtype: DT_FLOAT shape { dim { size: 5 } } }
  compute_cost: 3
}
node {
  name: "a"  id: 7  control_input: 0
  output_info { size: 2 alias_input_port: -1 }
  output_info { size: 3 alias_input_port: -1 }
  temporary_memory_size: 11  persistent_memory_size: 13
}
node { name: "c" id: 2 input_info { preceding_node: 9 } output_info { size: 5 } is_final: true }
)";

TEST(CostGraphTest, NodesReferToEachOtherById) {
  const ImportedGraph imported = ImportText(kCostGraph, "costgraph");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(imported.summary.nodes_read, 4U);
  EXPECT_EQ(graph.num_ops(), 3U);
  EXPECT_EQ(imported.summary.folded.CountOf("_SOURCE or _SINK"), 1U);
  EXPECT_EQ(graph.inputs(FindOp(graph, "b"))[0], graph.output(FindOp(graph, "a"), 1));
  EXPECT_EQ(GetOp(graph, "a").workspace_bytes, Bytes{11});
  EXPECT_EQ(GetOp(graph, "a").param_bytes, Bytes{13});
}

TEST(CostGraphTest, FieldsThatAreLeftOutAreZero) {
  const ImportedGraph imported = ImportText(kCostGraph, "costgraph");
  const sim::OpGraph& graph = *imported.graph;
  const OpId c = FindOp(graph, "c");
  EXPECT_EQ(graph.inputs(c)[0], graph.output(FindOp(graph, "b"), 0));     // preceding_port
  EXPECT_EQ(graph.measured_times(c)[0].seconds, 0.0);                     // compute_cost
  EXPECT_EQ(graph.tensor(graph.output(c, 0)).alias, sim::Alias::kInput);  // alias_input_port
  EXPECT_TRUE(graph.tensor(graph.output(c, 0)).keep);
}

TEST(CostGraphTest, UnitsAreMicrosecondsAndBytesUnlessOptionsSayOtherwise) {
  const ImportedGraph imported = ImportText(kCostGraph, "costgraph");
  const OpId b = FindOp(*imported.graph, "b");
  EXPECT_EQ(imported.graph->measured_times(b)[0].seconds, 3e-6);
  EXPECT_EQ(imported.graph->tensor(imported.graph->output(b, 0)).bytes, Bytes{5});
  const Options units({{"seconds_per_cost", 0.5}, {"bytes_per_size", std::int64_t{1024}}});
  const ImportedGraph scaled = ImportText(kCostGraph, "costgraph", units);
  EXPECT_EQ(scaled.graph->measured_times(b)[0].seconds, 1.5);
  EXPECT_EQ(scaled.graph->tensor(scaled.graph->output(b, 0)).bytes, Bytes{5120});
}

TEST(CostGraphTest, WrongReferencesAndTextsAreRefusedWithTheirPlace) {
  EXPECT_EQ(MessageOf("node { id: 1 input_info { preceding_node: 4 } }", "costgraph"),
            "in#/node/0: found the id 4, expected that of a node");
  EXPECT_EQ(MessageOf("node { id: 1 }\nnode { id: 1 }", "costgraph"),
            "in#/node/1: found the id 1 again, expected it once");
  EXPECT_EQ(MessageOf("node {\n  id: one\n}", "costgraph"),
            "in:2:7: found \"o\", expected an integer within int64");
  EXPECT_EQ(MessageOf("node { id: 1", "costgraph"),
            "in:1:13: found the end of the file, expected the end of a message (})");
}

TEST(CostGraphTest, WhatWasNotRecordedIsSaid) {
  // b reads 4194304 bytes; its size and memory are -1.
  const ImportedGraph imported =
      ImportGraphFile("tests/graphs/importers/tensorflow/data/cost_unrecorded.pbtxt");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "b"), 0)).bytes, Bytes{4'194'304});
  EXPECT_EQ(GetOp(graph, "b").workspace_bytes, Bytes{0});
  EXPECT_EQ(imported.summary.unknown.CountOf(
                "size that was not recorded (-1), taken as that of the op's largest input"),
            1U);
  EXPECT_EQ(imported.summary.unknown.CountOf("memory that was not recorded (-1), taken as 0 bytes"),
            1U);
}

TEST(CostGraphTest, ASizeThatWasNotRecordedFollowsFromTheShape) {
  const ImportedGraph imported = ImportText(
      "node { name: 'a' compute_cost: 1 output_info { size: -1 dtype: DT_HALF "
      "shape { dim { size: 3 } dim { size: 5 } } } }",
      "costgraph");
  EXPECT_EQ(imported.graph->tensor(imported.graph->output(OpId(std::size_t{0}), 0)).bytes,
            Bytes{30});
}

TEST(CostGraphTest, NamesOfSeveralDevicesAreMadeUnique) {
  const ImportedGraph imported = ImportText(
      "node { name: 'a' compute_cost: 1 } node { name: 'a' id: 7 compute_cost: 1 }", "costgraph");
  EXPECT_EQ(imported.graph->ops()[1].name, "a_7");
}

TEST(CostGraphTest, ReadsRegalsExample) {
  const std::filesystem::path path =
      std::filesystem::path(kForeignGraphs) / "regal_sample/example.pbtxt";
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << "no " << path;
  }
  const ImportedGraph imported = ImportGraphFile(path);
  EXPECT_EQ(imported.summary.format, "costgraph");
  EXPECT_EQ(imported.graph->num_ops(), 4U);  // five nodes, one of them _SOURCE
  EXPECT_EQ(SourcesOf(*imported.graph, "node_3"), (std::vector<std::string>{"node_1"}));
}

const char* const kCosted = R"({"meta": {"node_fields": ["name", "op", "cost_ns", "output_bytes"]},
 "nodes": [["w", "Placeholder", 0, [0]], ["read", "ReadVariableOp", 0, [60]],
           ["two", "Const", null, null], ["mul", "Mul", 2500, [60]],
           ["set", "AssignVariableOp", 700, []]],
 "edges": [[0, 0, 1], [1, 0, 3], [2, 0, 3], [0, 0, 4], [3, 0, 4], [1, -1, 4]]})";

TEST(CostedJsonTest, CostsBecomeSecondsAndAreCalledAModel) {
  const ImportedGraph imported = ImportText(kCosted, "costed");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.measured_times(FindOp(graph, "mul"))[0].seconds, 2500 * 1e-9);
  EXPECT_EQ(imported.summary.unknown.CountOf(
                "run time from the estimator's roofline model, not measured"),
            3U);  // read, mul, set
  EXPECT_EQ(GetOp(graph, "w").type, "Variable");
  EXPECT_EQ(GetOp(graph, "w").param_bytes, Bytes{60});
  EXPECT_EQ(graph.num_ops(), 4U);  // without the constant
  EXPECT_EQ(graph.num_control_edges(), 1U);
}

TEST(CostedJsonTest, WrongItemsAreRefusedWithTheirPlace) {
  EXPECT_EQ(MessageOf(R"({"nodes": [["a", "Neg", -1, [4]]], "edges": [[0, 0, 1], [0]]})", "costed"),
            "in#/nodes/0/2: found -1, expected nanoseconds from 0 to 4.6e15\n"
            "in#/edges/0/2: found 1, expected an integer from 0 to 0\n"
            "in#/edges/1: found another number of items, expected [source, port, destination]");
}

}  // namespace
}  // namespace opyard::graphs
