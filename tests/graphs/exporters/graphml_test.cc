// A graph that is written as GraphML reads back equal.
#include "graphs/exporters/graphml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/importers/importers.h"
#include "sim/io/graph/graph_json.h"
#include "tests/graphs/importers/imported.h"
#include "tests/support/random_cases.h"
#include "tests/support/temporary_folder.h"

namespace opyard::graphs {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Equal texts of our format are equal graphs.
std::string ThereAndBack(const sim::OpGraph& graph) {
  const ImportedGraph again = ImportText(GraphmlText(graph), "graphml");
  EXPECT_THAT(again.summary.unknown.all(), IsEmpty());
  EXPECT_THAT(again.summary.folded.all(), IsEmpty());
  return sim::WriteGraphText(*again.graph);
}

TEST(GraphmlTextTest, KeepsEveryModelOfTheZooAndEveryRandomFamily) {
  for (const auto& source : GraphSources()) {
    const bool is_model = source->name().starts_with("zoo:");
    const auto graph = LoadGraph(source->name() + (is_model ? "?scale=tiny" : "?seed=3"));
    EXPECT_EQ(ThereAndBack(*graph), sim::WriteGraphText(*graph)) << source->name();
  }
}

RC_GTEST_PROP(GraphmlTextTest, KeepsRandomGraphs, ()) {
  Rng rng(static_cast<std::uint64_t>(*rc::gen::inRange(0, 1'000'000)));
  const auto values = testing::Values::kContinuous;
  const sim::HardwareProfile machine = testing::RandomMachine(rng, values, {});
  const auto graph = testing::RandomGraph(rng, values, {.fuses = true}, machine);
  RC_ASSERT(ThereAndBack(*graph) == sim::WriteGraphText(*graph));
}

TEST(GraphmlTextTest, KeepsEveryFieldOfTheFormat) {
  const auto graph = sim::ReadGraphText(
      R"({"format": "opyard-graph/1", "name": " \"a\" & <b> ]]>", "origin": "two\r\nlines\t",
 "measured": "kernel", "ops": [
 {"name": "last", "type": "Relu", "dtype": "f16", "inputs": [[2, 1], [1, 0], [2, 1]],
  "control_inputs": [3, 2], "flops": 1.8446744073709552e19, "bytes_accessed": 3, "param_bytes": 5,
  "weight_bytes": 2, "workspace_bytes": 9007199254740993, "phase": "update", "layer": -1,
  "colocation": " ", "device_kinds": ["cpu", "tpu"], "fusion_class": "opaque",
  "seconds": {"gpu\"0<": 3.3e-7, "*": 0, "cpu": 0.1}, "release": 2.5e-6,
  "outputs": [{"bytes": 8, "shape": [2, 0], "dtype": "i64", "alias": 1, "keep": true},
              {"bytes": 0, "alias": "params"}],
  "conv": {"pass": "backward_weight", "n": 1, "c": 4, "h": 5, "w": 6, "k": 2, "r": 3, "s": 3,
           "pad_h": 1, "pad_w": 2, "stride_h": 2, "stride_w": 3, "groups": 2}},
 {"name": "mm", "type": "é\u007e'", "outputs": [{"bytes": 8}], "gemm": {"m": 1, "n": 2, "k": 3, "batch": 4}},
 {"name": "two", "type": "LSTM", "rnn": {"hidden": 7, "batch": 2, "timesteps": 3},
  "outputs": [{"bytes": 1}, {"bytes": 8}]},
 {"name": "  ", "type": "NoOp"}]})",
      "all");
  EXPECT_EQ(ThereAndBack(*graph), sim::WriteGraphText(*graph));
}

TEST(GraphmlTextTest, NodesAndEdgesBearTypedValuesUnderTheNamesOfOurFormat) {
  const auto graph = sim::ReadGraphText(
      R"({"format": "opyard-graph/1", "name": "g", "ops": [
 {"name": "a", "type": "X", "outputs": [{"bytes": 2}, {"bytes": 3}], "seconds": {"gpu": 0.5}},
 {"name": "b", "type": "Y", "inputs": [[0, 1]], "control_inputs": [0]}]})",
      "g");
  const std::string text = GraphmlText(*graph);
  EXPECT_THAT(text, HasSubstr(R"(for="node" attr.name="seconds.gpu" attr.type="double"/>)"));
  EXPECT_THAT(text, HasSubstr(R"(<data key="bytes_accessed">5</data>)"));  // a writes 2 + 3
  EXPECT_THAT(text, HasSubstr(R"(<data key="output_bytes">5</data>)"));
  EXPECT_THAT(text,
              HasSubstr(R"(<edge source="n0" target="n1"><data key="tensor">a:1</data>)"
                        R"(<data key="bytes">3</data><data key="output">1</data>)"
                        R"(<data key="input">0</data></edge>)"));
  EXPECT_THAT(text,
              HasSubstr(R"(<edge source="n0" target="n1"><data key="control">true</data></edge>)"));
}

TEST(GraphmlTextTest, RefusesWhatXmlCannotHold) {
  for (const char* const name : {"a\\u0001", "a\\u007f", "a\\uffff"}) {
    const auto graph = sim::ReadGraphText(
        std::string(R"({"format": "opyard-graph/1", "name": "g", "ops": [{"name": ")") + name +
            R"(", "type": "X"}]})",
        "g");
    EXPECT_THROW(static_cast<void>(GraphmlText(*graph)), InputError) << name;
  }
}

TEST(WriteGraphmlFileTest, PacksFilesInGz) {
  const opyard::testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "small.graphml.gz";
  const auto graph = LoadGraph("random:layered?n=20");
  WriteGraphmlFile(*graph, path);
  EXPECT_EQ(sim::WriteGraphText(*ImportGraphFile(path).graph), sim::WriteGraphText(*graph));
}

}  // namespace
}  // namespace opyard::graphs
