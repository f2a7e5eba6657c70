#include "sim/graph/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::sim {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::TimedOp;

TEST(WriteDotTest, SamplesOpsTensorsAndControlEdgesByProducer) {
  OpSpec c = TimedOp("c", 1, {{.op = 0}, {.op = 0}}, {});
  c.control_inputs = {1};
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {20}), TimedOp("b\"\\", 1, {}, {}), c});
  const DotStyle style = {
      .name = "g\"",
      .classes = {{.name = "early", .fill = "red"}, {.name = "late", .fill = "blue"}},
      .class_of = {0, 0, 1},
      .op_label = [&](OpId op) { return graph->op(op).name; },
      .edge_label =
          [&](TensorId tensor) { return std::to_string(graph->tensor(tensor).bytes.count); },
  };
  EXPECT_EQ(WriteDot(*graph, style), R"dot(digraph "g\"" {
  node [shape=box, style=filled, fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=9];
  subgraph cluster_legend {
    label="legend";
    legend0 [label="early", fillcolor="red"];
    legend1 [label="late", fillcolor="blue"];
  }
op0 [label="a", fillcolor="red"];
op1 [label="b\"\\", fillcolor="red"];
op2 [label="c", fillcolor="blue"];
op0->op2 [label="20"];
op1->op2 [style=dashed];
}
)dot");
}

}  // namespace
}  // namespace opyard::sim
