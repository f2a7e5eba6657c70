#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/graph/graph_json.h"
#include "sim/io/text/text_file.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;

const char* const kSample = "tests/fuzz/corpus/cost_graph/small.pbtxt";

TEST(GraphConvertTest, WritesAGraphAndSaysWhatWasReadAndFolded) {
  const opyard::testing::TemporaryFolder folder;
  const std::string out = (folder.path() / "out.graph.json.gz").string();
  const Ended ended = RunCommand({"graph", "convert", kSample, "--out", out, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json()["format"], "costgraph");
  EXPECT_EQ(ended.Json()["nodes_read"], 4);
  EXPECT_EQ(ended.Json()["ops"], 3);
  EXPECT_EQ(ended.Json()["folded"][0]["what"], "_SOURCE or _SINK");
  EXPECT_EQ(sim::ReadGraphFile(out)->num_ops(), 3U);
}

TEST(GraphConvertTest, OptionsReachTheImporterAndUnknownOnesAreRefused) {
  const opyard::testing::TemporaryFolder folder;
  const std::string out = (folder.path() / "out.json").string();
  const Ended ended =
      RunCommand({"graph", "convert", kSample, "--out", out, "--option", "seconds_per_cost=0.5"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto graph = sim::ReadGraphFile(out);
  EXPECT_EQ(graph->measured_times(OpId(std::size_t{0}))[0].seconds, 1.5);  // b costs 3
  const Ended refused =
      RunCommand({"graph", "convert", kSample, "--out", out, "--option", "seconds=2"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("seconds_per_cost"));
}

TEST(GraphConvertTest, GraphmlReadsBackAsTheGraphThatWasWritten) {
  const opyard::testing::TemporaryFolder folder;
  const std::string first = (folder.path() / "first.json").string();
  const std::string second = (folder.path() / "second.json").string();
  const std::string graphml = (folder.path() / "x.graphml.gz").string();
  ASSERT_EQ(RunCommand({"graph", "convert", kSample, "--out", first}).status, 0);
  ASSERT_EQ(RunCommand({"graph", "convert", kSample, "--out", graphml}).status, 0);
  const Ended ended = RunCommand({"graph", "convert", graphml, "--out", second, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json()["format"], "graphml");
  EXPECT_EQ(ended.Json()["unknown"].size(), 0U);
  EXPECT_EQ(sim::ReadTextFile(second), sim::ReadTextFile(first));
}

TEST(GraphConvertTest, DotIsWhatGraphShowPrints) {
  const opyard::testing::TemporaryFolder folder;
  const std::string dot = (folder.path() / "x.dot").string();
  const std::string graph = "random:layered?n=20";
  ASSERT_EQ(RunCommand({"graph", "convert", graph, "--out", dot}).status, 0);
  EXPECT_EQ(sim::ReadTextFile(dot), RunCommand({"graph", "show", graph, "--dot"}).out);
}

TEST(ForeignGraphTest, IsReadWhereverAGraphIsNamedAndWarnsOfWhatIsAssumed) {
  const Ended info = RunCommand({"graph", "info", kSample, "--json"});
  ASSERT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(info.Json()["ops"], 3);
  EXPECT_THAT(info.err,
              HasSubstr("warning: tests/fuzz/corpus/cost_graph/small.pbtxt (costgraph): "));
  EXPECT_THAT(info.err,
              HasSubstr("not known: 3 x op type, which the format does not hold: opaque"));
  EXPECT_EQ(RunCommand({"graph", "info", "random:layered?n=20"}).err, "");
}

TEST(ForeignGraphTest, AnExperimentWarnsOfItOnce) {
  const testing::Workplace place;
  const std::string experiment =
      place.Write("foreign.yaml",
                  "schema_version: 1\nname: foreign\ngraphs: [foreign.pbtxt]\n"
                  "hardware: [machines/two.yaml, p100x2-pcie]\nbudget: {evaluations: 2}\n"
                  "agents: [single_device]\nseeds: [0]\n");
  place.Write("foreign.pbtxt", sim::ReadTextFile(kSample));
  const std::string results = place.Path("results");
  const Ended ended = RunCommand({"run", experiment, "--out", results});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string warning = "warning: foreign.pbtxt (costgraph)";
  EXPECT_THAT(ended.err, HasSubstr(warning));
  EXPECT_EQ(ended.err.find(warning), ended.err.rfind(warning));  // two machines, one graph
  EXPECT_EQ(RunCommand({"validate", results}).status, 0);
}

TEST(GraphConvertTest, UnknownFormatsAndSuffixesAreRefused) {
  const Ended format =
      RunCommand({"graph", "convert", kSample, "--out", "x.json", "--from", "hla"});
  EXPECT_EQ(format.status, 2);
  EXPECT_THAT(format.err, HasSubstr("did you mean \"hlo\"?"));
  const Ended suffix = RunCommand({"graph", "convert", kSample, "--out", "x.png"});
  EXPECT_EQ(suffix.status, 2);
  EXPECT_THAT(suffix.err, HasSubstr("expected a name in .json, .graphml or .dot"));
}

}  // namespace
}  // namespace opyard::experiments
