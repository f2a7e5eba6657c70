#include "graphs/graph_sources.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/reference.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

using ::testing::HasSubstr;

// The message of LoadGraph about `reference`; "" if it accepts it.
std::string Refusal(const std::string& reference) {
  try {
    static_cast<void>(LoadGraph(reference));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A folder that goes with the test.
class GraphFolder {
 public:
  GraphFolder() : path_(std::filesystem::path(::testing::TempDir()) / "opyard_graph_source_test") {
    std::filesystem::create_directories(path_);
  }
  ~GraphFolder() { std::filesystem::remove_all(path_); }
  GraphFolder(const GraphFolder&) = delete;
  GraphFolder& operator=(const GraphFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(GraphReferenceTest, TellsPathsNamesAndGeneratorsApart) {
  using Kind = GraphReference::Kind;
  EXPECT_EQ(ParseGraphReference("inception_v3").kind, Kind::kShipped);
  EXPECT_EQ(ParseGraphReference("step.graph.json").kind, Kind::kPath);
  EXPECT_EQ(ParseGraphReference("step.json.gz").kind, Kind::kPath);
  EXPECT_EQ(ParseGraphReference("./step").kind, Kind::kPath);
  EXPECT_EQ(ParseGraphReference("step.pb").kind, Kind::kPath);
  EXPECT_EQ(ParseGraphReference("step.hlo.txt.gz").kind, Kind::kPath);
  EXPECT_EQ(ParseGraphReference("step.graphml").kind, Kind::kPath);
  EXPECT_EQ(ParseGraphReference("step.gz").kind, Kind::kShipped);
  EXPECT_EQ(ParseGraphReference("/abs/a:b.json").kind, Kind::kPath);
  EXPECT_EQ(ParseGraphReference("random:layered").kind, Kind::kGenerated);
}

TEST(GraphReferenceTest, ReadsOptionsAsTheNarrowestType) {
  const GraphReference reference = ParseGraphReference("random:layered?n=12&ccr=0.5&x=word&y=true");
  EXPECT_EQ(reference.source, "random");
  EXPECT_EQ(reference.name, "layered");
  const auto& values = reference.options.values();
  EXPECT_EQ(values.at("n"), OptionValue(std::int64_t{12}));
  EXPECT_EQ(values.at("ccr"), OptionValue(0.5));
  EXPECT_EQ(values.at("x"), OptionValue(std::string("word")));
  EXPECT_EQ(values.at("y"), OptionValue(true));
}

TEST(GraphSourceTest, SourcesAreSortedByName) {
  std::vector<std::string> names;
  for (const auto& source : GraphSources()) {
    names.push_back(source->name());
    EXPECT_FALSE(source->summary().empty());
  }
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_THAT(names, ::testing::Contains("random:layered"));
}

TEST(GraphSourceTest, EverySourceMakesAGraphWithoutOptionsNamedAsAsked) {
  for (const auto& source : GraphSources()) {
    const auto graph = LoadGraph(source->name());
    EXPECT_EQ(graph->name(), source->name());
    EXPECT_GT(graph->num_ops(), 0U);
  }
}

TEST(GraphSourceTest, PathsAreTriedFromTheFolderToo) {
  const GraphFolder folder;
  sim::WriteGraphFile(*LoadGraph("random:layered?n=20"), folder.path() / "mine.graph.json.gz");
  EXPECT_EQ(LoadGraph("mine.graph.json.gz", folder.path())->num_ops(), 20U);
  EXPECT_EQ(LoadGraph((folder.path() / "mine.graph.json.gz").string())->num_ops(), 20U);
}

struct ForeignFile {
  const char* path;  // below tests/fuzz/corpus
  const char* format;
};

class ForeignFileTest : public ::testing::TestWithParam<ForeignFile> {};

TEST_P(ForeignFileTest, IsAReferenceLikeAnyOther) {
  const std::string path = std::string("tests/fuzz/corpus/") + GetParam().path;
  const ImportedGraph loaded = LoadImportedGraph(path);
  EXPECT_EQ(loaded.summary.format, GetParam().format);
  EXPECT_EQ(sim::WriteGraphText(*LoadGraph(path)), sim::WriteGraphText(*loaded.graph));
  EXPECT_EQ(LoadGraph("variant:3:" + path)->num_ops(), loaded.graph->num_ops());
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         ForeignFileTest,
                         ::testing::Values(ForeignFile{"torch_json/small.json", "torch"},
                                           ForeignFile{"tf_graphdef/small.pb", "graphdef"},
                                           ForeignFile{"tf_costed/small.json", "costed"},
                                           ForeignFile{"cost_graph/small.pbtxt", "costgraph"},
                                           ForeignFile{"hlo_text/small.txt", "hlo"},
                                           ForeignFile{"graphml/small.graphml", "graphml"},
                                           ForeignFile{"gxl/small.gxl", "gxl"},
                                           ForeignFile{"stg/small.stg", "stg"},
                                           ForeignFile{"doppler/small.txt", "doppler"}),
                         [](const auto& file) { return std::string(file.param.format); });

TEST(GraphSourceTest, JsonThatNoImporterKnowsIsRefusedAsAGraphOfOurs) {
  const GraphFolder folder;
  sim::WriteTextFile(folder.path() / "odd.json", R"({"name": "g", "ops": [{"name": "a"}]})");
  try {
    static_cast<void>(LoadGraph((folder.path() / "odd.json").string()));
    FAIL() << "a graph without a format was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("odd.json#: found no key \"format\""));
  }
}

TEST(GraphSourceTest, ShippedGraphsAreSortedAndLoadByName) {
  const std::vector<ShippedGraph> shipped = ListShippedGraphs();
  EXPECT_TRUE(std::ranges::is_sorted(shipped, {}, &ShippedGraph::name));
  for (const ShippedGraph& graph : shipped) {
    EXPECT_GT(LoadGraph(graph.name)->num_ops(), 0U) << graph.name;
  }
}

struct BadReference {
  std::string text;
  std::string complaint;
};

// For GoogleTest's messages and the names of ctest.
void PrintTo(const BadReference& reference, std::ostream* out) {
  *out << reference.text;
}

class BadReferenceTest : public ::testing::TestWithParam<BadReference> {};

TEST_P(BadReferenceTest, IsRefusedWithTheReason) {
  EXPECT_THAT(Refusal(GetParam().text), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    AllOfThem,
    BadReferenceTest,
    ::testing::Values(
        BadReference{"", "expected a path, the name of a shipped graph, or a generator"},
        BadReference{"no_such_model", "no such shipped graph"},
        BadReference{"random:", "expected a name after \"random:\""},
        BadReference{"random:layerd", "did you mean \"random:layered\"?"},
        BadReference{"random:?n=5", "expected a name after \"random:\""},
        BadReference{"zoo:rnlm?layers=2", "did you mean \"zoo:rnnlm\"?"},
        BadReference{"zoo:rnnlm?layers=0", "option layers: found 0"},
        BadReference{"zoo:rnnlm?scale=huge", "option scale: found huge"},
        BadReference{"zoo:rnnlm?steps=2", "unknown option \"steps\""},
        BadReference{"http://example.org/g.json", "no generator \"http:"},
        BadReference{"random:layered?", "found option \"\", expected key=value"},
        BadReference{"random:layered?n", "found option \"n\", expected key=value"},
        BadReference{"random:layered?n=", "found option \"n=\", expected key=value"},
        BadReference{"random:layered?=5", "found option \"=5\", expected key=value"},
        BadReference{"random:layered?n=5&&seed=1", "found option \"\", expected key=value"},
        BadReference{"random:layered?n=5&n=6", "option n is given twice"},
        BadReference{"random:layered?n=0",
                     "option n: found 0, expected a whole number in [1, 1000000]"},
        BadReference{"random:layered?n=1000001", "expected a whole number in [1, 1000000]"},
        BadReference{"random:layered?n=5.5", "option n: found 5.5"},
        BadReference{"random:layered?n=many", "option n: found many"},
        BadReference{"random:layered?seed=-1", "option seed: found -1"},
        BadReference{"random:layered?ccr=0", "option ccr: found 0"},
        BadReference{"random:layered?skip=nan", "option skip: found nan"},
        BadReference{"random:layered?backward=0.6", "option backward: found 0.6"},
        BadReference{"random:layered?sed=1", "unknown option \"sed\"; did you mean \"seed\"?"},
        BadReference{"variant:3:", "expected SEED:GRAPH"},
        BadReference{"variant:inception_v3", "expected SEED:GRAPH"},
        BadReference{"variant:-1:inception_v3", "expected SEED:GRAPH"},
        BadReference{"variant:99999999999999999:inception_v3", "expected SEED:GRAPH"},
        BadReference{"variant:3:no_such_model", "no such shipped graph"},
        BadReference{"variant:3:variant:4:inception_v3", "found a variant of a variant"},
        BadReference{"no/such/file.graph.json", "no/such/file.graph.json"}));

}  // namespace
}  // namespace opyard::graphs
