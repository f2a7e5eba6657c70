// GraphML as networkx, yEd and people write it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/text/text_file.h"
#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As networkx.write_graphml writes a DiGraph.
const char* const kPlain =
    R"(<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d3" for="edge" attr.name="weight" attr.type="long" />
  <key id="d2" for="node" attr.name="color" attr.type="string" />
  <key id="d1" for="node" attr.name="op" attr.type="string" />
  <key id="d0" for="node" attr.name="cost" attr.type="double" />
  <graph edgedefault="directed">
    <node id="a"><data key="d0">3.5</data><data key="d1">Conv2D</data></node>
    <node id="b"><data key="d0">2</data><data key="d1">Relu</data><data key="d2">red</data></node>
    <node id="c"/>
    <edge source="a" target="b"><data key="d3">100</data></edge>
    <edge source="a" target="c"><data key="d3">100</data></edge>
    <edge source="b" target="c"/>
    <edge source="a" target="c"><data key="d3">5</data></edge>
  </graph>
</graphml>
)";

// A file with `keys` and the content of its graph.
std::string File(const std::string& keys, const std::string& graph) {
  return "<graphml>" + keys + "<graph edgedefault=\"directed\">" + graph + "</graph></graphml>";
}

std::string Key(const std::string& id, const std::string& domain, const std::string& name) {
  return "<key id=\"" + id + "\" for=\"" + domain + "\" attr.name=\"" + name + "\"/>";
}

TEST(GraphmlTest, CostsAndWeightsHaveTheUnitsOfTheOptions) {
  const ImportedGraph imported = ImportText(kPlain, "graphml");
  const sim::OpGraph& graph = *imported.graph;
  const OpId a = FindOp(graph, "a");
  EXPECT_EQ(graph.op(a).type, "Conv2D");
  EXPECT_EQ(graph.measured_times(a)[0].seconds, 3.5e-6);
  EXPECT_EQ(graph.tensor(graph.output(a, 0)).bytes, Bytes{100});
  const Options units({{"seconds_per_cost", 2.0}, {"bytes_per_size", std::int64_t{1024}}});
  const ImportedGraph scaled = ImportText(kPlain, "graphml", units);
  EXPECT_EQ(scaled.graph->measured_times(a)[0].seconds, 7.0);
  EXPECT_EQ(scaled.graph->tensor(scaled.graph->output(a, 0)).bytes, Bytes{102'400});
}

TEST(GraphmlTest, EdgesOfOneSizeCarryOneTensor) {
  const ImportedGraph imported = ImportText(kPlain, "graphml");
  const sim::OpGraph& graph = *imported.graph;
  const OpId a = FindOp(graph, "a");
  EXPECT_EQ(graph.num_outputs(a), 2U);  // of 100 and of 5 bytes
  EXPECT_THAT(graph.consumers(graph.output(a, 0)), ElementsAre(OpId(1), OpId(2)));
  EXPECT_THAT(graph.consumers(graph.output(a, 1)), ElementsAre(OpId(2)));
  EXPECT_EQ(SourcesOf(graph, "c"), (std::vector<std::string>{"a", "b", "a"}));
}

TEST(GraphmlTest, WhatTheFileDoesNotSayIsCounted) {
  const ImportedGraph imported = ImportText(kPlain, "graphml");
  const sim::OpGraph& graph = *imported.graph;
  const FindingList& unknown = imported.summary.unknown;
  EXPECT_EQ(unknown.CountOf("cost without a unit, times the option seconds_per_cost (1e-06)"), 2U);
  EXPECT_EQ(unknown.CountOf("size without a unit, times the option bytes_per_size (1)"), 3U);
  EXPECT_EQ(unknown.CountOf("attribute without a meaning here, not used"), 1U);     // color
  EXPECT_EQ(unknown.CountOf("op type, which the file does not hold: opaque"), 1U);  // c
  EXPECT_EQ(unknown.CountOf("op without a run time or FLOPs, taken to move its tensors alone"), 1U);
  EXPECT_EQ(unknown.CountOf("edge without an output: edges of one size carry one tensor"), 4U);
  EXPECT_EQ(unknown.CountOf("size of a tensor, taken to be the largest of the file (100 bytes)"),
            1U);
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "b"), 0)).bytes, Bytes{100});
}

TEST(GraphmlTest, ASizeOfTheNodeIsThatOfItsTensor) {
  const ImportedGraph imported = ImportText(
      File(Key("s", "node", "bytes"),
           R"(<node id="a"><data key="s">7</data></node><node id="b"><data key="s">3.0</data></node>
              <edge source="a" target="b"/>)"),
      "graphml");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "a"), 0)).bytes, Bytes{7});
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "b"), 0)).bytes, Bytes{3});  // nobody reads it
}

TEST(GraphmlTest, PortsOrderTheArguments) {
  const ImportedGraph imported = ImportText(
      File(Key("i", "edge", "input") + Key("o", "edge", "output") + Key("c", "edge", "control"),
           R"(<node id="a"/><node id="b"/><node id="c"/>
              <edge source="a" target="c"><data key="i">1</data><data key="o">2</data></edge>
              <edge source="b" target="c"><data key="i">0</data></edge>
              <edge source="a" target="b"><data key="c">True</data></edge>)"),
      "graphml");
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(SourcesOf(graph, "c"), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(graph.num_outputs(FindOp(graph, "a")), 3U);
  EXPECT_THAT(graph.control_inputs(FindOp(graph, "b")), ElementsAre(FindOp(graph, "a")));
}

TEST(GraphmlTest, DefaultsOfKeysHoldWhereANodeSaysNothing) {
  const ImportedGraph imported = ImportText(
      File(R"(<key id="t" for="node" attr.name="type"><default>Relu</default></key>
              <key id="u" for="all" attr.name="us"><default>2</default></key>)",
           R"(<node id="a"/><node id="b"><data key="t">Add</data><data key="u">5</data></node>)"),
      "graphml");
  EXPECT_EQ(GetOp(*imported.graph, "a").type, "Relu");
  EXPECT_EQ(GetOp(*imported.graph, "b").type, "Add");
  EXPECT_EQ(imported.graph->measured_times(OpId(0))[0].seconds, 2 * 1e-6);
  EXPECT_EQ(imported.graph->measured_times(OpId(1))[0].seconds, 5 * 1e-6);
}

TEST(GraphmlTest, EntitiesOfADocumentTypeAreNeverExpanded) {
  const std::string bomb =
      R"(<!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><graphml><graph>
         <node id="&b;"/></graph></graphml>)";
  EXPECT_EQ(MessageOf(bomb, "graphml"),
            "in: found a document type with declarations of its own, expected none; write entities "
            "out and leave it away");
  const ImportedGraph plain = ImportText(
      "<!DOCTYPE graphml SYSTEM \"graphml.dtd\">" + File("", "<node id=\"&b;\"/>"), "graphml");
  EXPECT_EQ(plain.graph->ops()[0].name, "&b;");
}

struct Wrong {
  const char* name;
  std::string text;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongGraphmlTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongGraphmlTest, IsRefusedWithItsPlace) {
  EXPECT_THAT(MessageOf(GetParam().text, "graphml"), HasSubstr(GetParam().message));
}

std::string Deep() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += "<a>";
  }
  for (int i = 0; i < 100'000; ++i) {
    text += "</a>";
  }
  return File("", "<node id=\"a\"><data key=\"x\">" + text + "</data></node>");
}

INSTANTIATE_TEST_SUITE_P(
    Files,
    WrongGraphmlTest,
    ::testing::Values(
        Wrong{"xml", "<graphml>\n<graph><node id='a'></graph></graphml>", "in:2:"},
        Wrong{"root", "<gexf/>", "in:1:2: found <gexf>, expected <graphml>"},
        Wrong{"no_graph", "<graphml/>", "in:1:2: found no graph, expected one <graph>"},
        Wrong{"two_graphs", "<graphml><graph/><graph/></graphml>", "found a second graph"},
        Wrong{"nested", File("", "<node id='a'><graph/></node>"), "found a graph within a node"},
        Wrong{"hyperedge", File("", "<hyperedge/>"), "found a hyperedge"},
        Wrong{"deep", Deep(), "found nesting beyond 64 levels"},
        Wrong{"nul", File("", "<node id='a&#x000;b'/>"), "found a reference to the character NUL"},
        Wrong{"control", File("", "<node id='a&#1;'/>"), "found a control character"},
        Wrong{"surrogate", File("", "<node id='a&#xD800;'/>"), "found invalid UTF-8"},
        Wrong{"empty", File("", ""), "imported graph"},
        Wrong{"no_id", File("", "<node/>"), "found a node without id"},
        Wrong{"same_id", File("", "<node id='a'/><node id='a'/>"), "found the id \"a\" again"},
        Wrong{"no_source",
              File("", "<node id='a'/><edge source='b' target='a'/>"),
              ": source: found \"b\", expected the id of a node"},
        Wrong{"undirected",
              "<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/>"
              "<edge source='a' target='b'/></graph></graphml>",
              "found an undirected edge"},
        Wrong{"cycle",
              File("",
                   "<node id='a'/><node id='b'/><edge source='a' target='b'/>"
                   "<edge source='b' target='a'/>"),
              "cycle"},
        Wrong{"unknown_key", File("", "<node id='a'><data key='z'>1</data></node>"), "\"z\""},
        Wrong{"negative",
              File(Key("c", "node", "cost"), "<node id='a'><data key='c'>-1</data></node>"),
              "cost: found \"-1\", expected a number from 0 to"},
        Wrong{"nan",
              File(Key("c", "node", "seconds"), "<node id='a'><data key='c'>nan</data></node>"),
              "seconds: found \"nan\""},
        Wrong{"bad_json",
              File(Key("o", "node", "outputs"),
                   "<node id='a'><data key='o'>[], \"flops\": 3</data></node>"),
              "outputs"},
        Wrong{"bad_output",
              File(Key("o", "node", "outputs"),
                   "<node id='a'><data key='o'>[{\"bytes\": -4}]</data></node>"),
              "outputs/0/bytes: found -4"},
        Wrong{"twice",
              File(Key("f", "node", "flops"),
                   "<node id='a'><data key='f'>1</data><data key='f'>2</data></node>"),
              "flops"},
        Wrong{"no_such_output",
              File(Key("o", "node", "outputs") + Key("p", "edge", "output"),
                   "<node id='a'><data key='o'>[{\"bytes\": 4}]</data></node><node id='b'/>"
                   "<edge source='a' target='b'><data key='p'>1</data></edge>"),
              "found the output 1, expected one of the 1 of the source"},
        Wrong{"gap",
              File(Key("i", "edge", "input"),
                   "<node id='a'/><node id='b'/>"
                   "<edge source='a' target='b'><data key='i'>1</data></edge>"),
              "found the input 1, expected 0: each from 0 once, or none at all"},
        Wrong{"half_port",
              File(Key("i", "edge", "input"),
                   "<node id='a'/><node id='b'/>"
                   "<edge source='a' target='b'><data key='i'>0.5</data></edge>"),
              "found \"0.5\", expected a whole number"},
        Wrong{"version",
              File(Key("f", "graph", "format"), "<data key='f'>opyard-graph/9</data>"),
              "found the format \"opyard-graph/9\""},
        Wrong{"measured",
              File(Key("f", "graph", "format") + Key("m", "graph", "measured"),
                   "<data key='f'>opyard-graph/1</data><data key='m'>cold</data>"),
              ": measured: found \"cold\", expected one of with_launch, kernel"}),
    [](const auto& wrong) { return std::string(wrong.param.name); });

TEST(GraphmlTest, ADocumentThatWouldFillTheMemoryIsRefusedBeforeItIsParsed) {
  // 18 Mi nodes of at least 64 bytes are more than a GiB.
  std::string text = "<graphml><graph>";
  for (std::size_t i = 0; i < (std::size_t{18} << 20U); ++i) {
    text += "<a/>";
  }
  EXPECT_THAT(MessageOf(text, "graphml"), HasSubstr("found a document too large to read"));
}

TEST(GraphmlTest, ASizeThatContradictsTheSourceIsCounted) {
  const ImportedGraph imported =
      ImportText(File(Key("o", "node", "outputs") + Key("b", "edge", "bytes"),
                      "<node id='a'><data key='o'>[{\"bytes\": 4}]</data></node><node id='b'/>"
                      "<edge source='a' target='b'><data key='b'>5</data></edge>"),
                 "graphml");
  EXPECT_EQ(
      imported.summary.unknown.CountOf("size of an edge, other than its source says: not used"),
      1U);
  EXPECT_EQ(imported.graph->tensors()[0].bytes, Bytes{4});
}

ImportedGraph ReadData(const std::string& file) {
  return ImportGraphFile("tests/graphs/importers/graphml/data/" + file);
}

TEST(GraphmlTest, LayersThatAreWordsAreNumberedByTheirFirstAppearance) {
  const ImportedGraph imported = ReadData("nx_layer_text.graphml");
  EXPECT_EQ(imported.graph->ops()[0].layer, 0);
  EXPECT_EQ(imported.graph->ops()[1].layer, 1);
  EXPECT_EQ(imported.summary.unknown.CountOf("layer as a word, numbered by its first appearance"),
            2U);
  const std::string nodes =
      "<node id='a'><data key='l'>enc</data></node><node id='b'><data key='l'>dec</data></node>"
      "<node id='c'><data key='l'>enc</data></node><node id='d'><data key='l'></data></node>";
  const ImportedGraph again = ImportText(File(Key("l", "node", "layer"), nodes), "graphml");
  EXPECT_EQ(again.graph->ops()[2].layer, 0);
  EXPECT_FALSE(again.graph->ops()[3].layer.has_value());
}

TEST(GraphmlTest, NamesThatSeveralNodesBearGetTheirIds) {
  const std::string nodes =
      "<node id='n1'><data key='m'>conv</data></node><node id='n2'><data key='m'>conv</data></node>"
      "<edge source='n1' target='n2'/>";
  const ImportedGraph imported = ImportText(File(Key("m", "node", "name"), nodes), "graphml");
  EXPECT_EQ(imported.graph->ops()[0].name, "conv");
  EXPECT_EQ(imported.graph->ops()[1].name, "conv_n2");
  EXPECT_EQ(imported.summary.unknown.CountOf("name that several nodes bear: the id is added to it"),
            1U);
}

TEST(GraphmlTest, ParallelEdgesCarryTensorsOfTheirSizes) {
  const ImportedGraph imported = ReadData("nx_multi.graphml");
  EXPECT_EQ(imported.graph->num_data_edges(), 2U);
  EXPECT_EQ(imported.graph->tensors()[0].bytes, Bytes{1});
  EXPECT_EQ(imported.graph->tensors()[1].bytes, Bytes{2});
}

TEST(GraphmlTest, ANodeThatWaitsForItselfIsRefusedInOneLine) {
  try {
    static_cast<void>(ReadData("nx_loop.graphml"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the cycle \"a\" -> \"a\""));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace opyard::graphs
