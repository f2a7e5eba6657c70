// Computation graphs of DOPPLER.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/text/text_file.h"
#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kSmall = "tests/fuzz/corpus/doppler/small.txt";

SimTime TimeOf(const sim::OpGraph& graph, const std::string& name) {
  return SimTime::FromSeconds(graph.measured_times(FindOp(graph, name))[0].seconds);
}

TEST(DopplerTest, InputsAreCountedAndTheOtherNodesAreOps) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  EXPECT_EQ(imported.summary.format, "doppler");
  EXPECT_EQ(imported.graph->name(), "small");
  EXPECT_EQ(imported.graph->num_ops(), 5U);  // seven nodes, two of them inputs
  EXPECT_THAT(SourcesOf(*imported.graph, "3"), ElementsAre("0", "1"));
  EXPECT_THAT(SourcesOf(*imported.graph, "4"), ElementsAre("2", "3"));
}

TEST(DopplerTest, AUnitOfComputeIsAPicosecondAndOneOfTransferAByte) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(TimeOf(graph, "0"), SimTime{30});
  EXPECT_EQ(TimeOf(graph, "4"), SimTime{60});
  EXPECT_EQ(graph.tensor(graph.output(FindOp(graph, "1"), 0)).bytes, Bytes{70});
}

TEST(DopplerTest, EveryEdgeCarriesTheOneOutputOfItsSource) {
  const ImportedGraph imported = ImportGraphFile(kSmall);
  const sim::OpGraph& graph = *imported.graph;
  EXPECT_EQ(graph.num_tensors(), 5U);
  EXPECT_THAT(graph.consumers(graph.output(FindOp(graph, "0"), 0)),
              ElementsAre(FindOp(graph, "2"), FindOp(graph, "3")));
}

TEST(DopplerTest, AKindIsTheTypeAndNothingFuses) {
  const ImportedGraph imported = ImportText("2\n0,\n\n\n5,7,MatMul", "doppler");
  EXPECT_EQ(imported.graph->ops()[0].type, "MatMul");
  EXPECT_EQ(imported.graph->ops()[0].fusion_class, sim::FusionClass::kOpaque);
}

TEST(DopplerTest, LargeTimesStayExact) {
  // 1.2 s, with a digit in each place.
  const ImportedGraph imported = ImportText("1\n\n\n\n1234567890123,1\n", "doppler");
  EXPECT_EQ(TimeOf(*imported.graph, "0"), SimTime{1'234'567'890'123});
}

TEST(DopplerTest, UnitsAreOptions) {
  const Options units({{"seconds_per_cost", 2.0}, {"bytes_per_size", 3.0}});
  const ImportedGraph imported = ImportText("1\n\n\n\n7,5\n", "doppler", units);
  EXPECT_EQ(imported.graph->measured_times(OpId(0))[0].seconds, 14.0);
  EXPECT_EQ(imported.graph->tensors()[0].bytes, Bytes{15});
}

TEST(DopplerTest, IsRecognisedByContent) {
  const auto format_of = [](const std::string& text) {
    return ImportGraph({.bytes = text, .place = "in", .stem = "in"}, "-").summary.format;
  };
  EXPECT_EQ(format_of(sim::ReadTextFile(kSmall)), "doppler");
  EXPECT_EQ(format_of("2\n\n0,\n1,\n5,7\n5,7\n"), "doppler");
  EXPECT_EQ(format_of("2\n0 1 0\n1 1 1 0\n"), "stg");
}

struct Wrong {
  const char* name;
  std::string text;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongDopplerTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongDopplerTest, IsRefusedWithItsPlace) {
  EXPECT_THAT(MessageOf(GetParam().text, "doppler"), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Files,
    WrongDopplerTest,
    ::testing::Values(
        Wrong{"empty", "", "in: found an empty file, expected a graph"},
        Wrong{"blank", "\n", "found the end of the line, expected the number of nodes"},
        Wrong{"no_number", "nodes\n", "in:1:1: found \"nodes\", expected the number of nodes"},
        Wrong{"two_numbers", "1,2\n\n\n\n", "in:1:3: found \"2\" besides, expected the number of"},
        Wrong{"too_many", "9999999\n", "in:1:1: found more nodes than can be read"},
        Wrong{
            "short", "2\n0,\n", "in: found the end of the file, expected a line with the sources"},
        Wrong{"unknown_input",
              "2\n2,\n0,\n0,\n",
              "in:2:1: found 2, expected the ids of the inputs, "
              "each below 2: the nodes of line 1"},
        Wrong{"inputs_alone", "2\n0,1\n0,\n0,\n", "in:3:1: found 0, expected the sources of the"},
        Wrong{"source",
              "2\n\n0,2\n1,1\n1,1\n1,1\n",
              "in:3:3: found 2, expected the sources of the "
              "edges, each below 2: the nodes of line"},
        Wrong{"target", "2\n\n0,\n-1\n1,1\n1,1\n", "in:4:1: found \"-1\", expected the targets of"},
        Wrong{"unequal",
              "2\n\n0,0\n1\n1,1\n1,1\n",
              "in:4:2: found 1 targets of edges, expected 2, as many as there are sources"},
        Wrong{"gap", "2\n\n0,,0\n1,1\n1,1\n1,1\n", "in:3:3: found \"\", expected the sources"},
        Wrong{
            "no_transfer", "1\n\n\n\n5\n", "in:5:2: found the end of the line, expected the op's"},
        Wrong{"fraction", "1\n\n\n\n5,1.5\n", "in:5:3: found \"1.5\", expected the op's transfer"},
        Wrong{"long",
              "1\n\n\n\n4600000000000001000,1\n",
              "in:5:1: found 4600000000000001000, expected the op's compute, at most 4.6e+18"},
        Wrong{"besides", "1\n\n\n\n5,1,a,b\n", "in:5:7: found \"b\" besides, expected compute,"},
        Wrong{
            "one_more", "1\n\n\n\n5,1\n5,1\n", "in:6:1: found one op more, expected 1: the nodes"},
        Wrong{"missing", "2\n\n\n\n5,1\n", "in: found 1 ops, expected 2: the nodes of line 1"},
        Wrong{"cycle", "2\n\n0,1\n1,0\n1,1\n1,1\n", "in: imported graph"},
        Wrong{"itself", "1\n\n0\n0\n1,1\n", "in: imported graph"}),
    [](const auto& file) { return std::string(file.param.name); });

}  // namespace
}  // namespace opyard::graphs
