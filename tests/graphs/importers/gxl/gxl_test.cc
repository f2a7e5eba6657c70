// Task graphs with weights as GXL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kSmall = "tests/fuzz/corpus/gxl/small.gxl";

std::string Weight(const std::string& weight) {
  return "<attr name=\"Weight\"><int>" + weight + "</int></attr>";
}

std::string Node(const std::string& id, const std::string& weight) {
  return "<node id=\"" + id + "\">" + Weight(weight) + "</node>";
}

std::string Edge(const std::string& from, const std::string& to, const std::string& weight) {
  return "<edge from=\"" + from + "\" to=\"" + to + "\">" + Weight(weight) + "</edge>";
}

std::string File(const std::string& graph) {
  return "<gxl><graph id=\"g\">" + graph + "</graph></gxl>";
}

TEST(GxlTest, WeightsOfNodesAreMeasuredMilliseconds) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(imported.summary.format, "gxl");
  EXPECT_EQ(graph.name(), "small");
  EXPECT_EQ(graph.num_ops(), 5U);
  for (const auto& [name, milliseconds] :
       {std::pair("1", 3), {"2", 2}, {"3", 4}, {"4", 2}, {"5", 3}}) {
    const auto times = graph.measured_times(FindOp(graph, name));
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(SimTime::FromSeconds(times[0].seconds), SimTime{milliseconds * 1'000'000'000LL});
  }
}

TEST(GxlTest, EachEdgeIsATensorOfAMegabyteForEachUnit) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  const sim::OpGraph& graph = *imported.graph;
  const OpId one = FindOp(graph, "1");
  ASSERT_EQ(graph.num_outputs(one), 2U);
  EXPECT_EQ(graph.tensor(graph.output(one, 0)).bytes, Bytes{4'000'000});
  EXPECT_THAT(graph.consumers(graph.output(one, 0)), ElementsAre(FindOp(graph, "3")));
  EXPECT_EQ(graph.tensor(graph.output(one, 1)).bytes, Bytes{3'000'000});
  EXPECT_THAT(graph.consumers(graph.output(one, 1)), ElementsAre(FindOp(graph, "4")));
  EXPECT_EQ(SourcesOf(graph, "4"), (std::vector<std::string>{"1", "2"}));
}

TEST(GxlTest, WeightsHaveTheUnitsOfTheOptions) {
  const Options units({{"seconds_per_cost", 2.0}, {"bytes_per_size", std::int64_t{10}}});
  const ImportedGraph imported =
      ImportText(File(Node("a", "7") + Node("b", "0") + Edge("a", "b", "3")), "gxl", units);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.measured_times(FindOp(graph, "a"))[0].seconds, 14.0);
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "a"), 0)).bytes, Bytes{30});
}

TEST(GxlTest, AttributesWithoutAMeaningAreCounted) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  EXPECT_EQ(imported.summary.unknown.CountOf("attribute without a meaning here, not used"), 1U);
}

struct Wrong {
  const char* name;
  std::string text;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongGxlTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongGxlTest, IsRefusedWithItsPlace) {
  EXPECT_THAT(MessageOf(GetParam().text, "gxl"), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Files,
    WrongGxlTest,
    ::testing::Values(
        Wrong{"xml", "<gxl>\n<graph></gxl>", "expected GXL"},
        Wrong{"root", "<graphml/>", "in:1:2: found <graphml>, expected <gxl>"},
        Wrong{"no_graph", "<gxl/>", "in:1:2: found no graph, expected one <graph>"},
        Wrong{"two_graphs", "<gxl><graph/><graph/></gxl>", "found a second graph"},
        Wrong{"empty", File(""), "in: imported graph"},
        Wrong{"nested", File("<node id='a'><graph/></node>"), "found a graph within a node"},
        Wrong{"relation", File("<rel/>"), "found a relation, expected edges"},
        Wrong{"undirected",
              File(Node("a", "1") + "<edge from='a' to='a' isdirected='false'/>"),
              "found an undirected edge"},
        Wrong{"undirected_graph",
              "<gxl><graph edgemode='undirected'>" + Node("a", "1") +
                  "<edge from='a' to='a'/></graph></gxl>",
              "found an undirected edge"},
        Wrong{"no_id", File("<node>" + Weight("1") + "</node>"), "found a node without id"},
        Wrong{"same_id", File(Node("a", "1") + Node("a", "1")), "found the id \"a\" again"},
        Wrong{"no_source",
              File(Node("a", "1") + Edge("b", "a", "1")),
              ": from: found \"b\", expected the id of a node"},
        Wrong{"no_weight", File("<node id='a'/>"), "found no <attr name=\"Weight\">"},
        Wrong{"two_weights",
              File("<node id='a'>" + Weight("1") + Weight("1") + "</node>"),
              "found a second Weight"},
        Wrong{"no_number", File(Node("a", "one")), "found the Weight \"one\", expected a number"},
        Wrong{"negative", File(Node("a", "-1")), "found the Weight \"-1\", expected a number"},
        Wrong{"not_a_number", File(Node("a", "nan")), "found the Weight \"nan\""},
        Wrong{"plain_text",
              File("<node id='a'><attr name='Weight'>1</attr></node>"),
              "found the Weight \"\""},
        Wrong{"long", File(Node("a", "4600000001")), "from 0 to 4.6e+09"},
        Wrong{"large",
              File(Node("a", "1") + Node("b", "1") + Edge("a", "b", "1000000001")),
              "from 0 to 1e+09"},
        Wrong{"cycle",
              File(Node("a", "1") + Node("b", "1") + Edge("a", "b", "1") + Edge("b", "a", "1")),
              "in: imported graph"}),
    [](const auto& file) { return std::string(file.param.name); });

}  // namespace
}  // namespace opyard::graphs
