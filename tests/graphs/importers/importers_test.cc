// A property of all formats: byte order marks.
#include "graphs/importers/importers.h"

#include <gtest/gtest.h>

#include "sim/io/text/text_file.h"
#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {
namespace {

struct Marked {
  const char* format;
  const char* file;  // in the corpus of the fuzzer
};

class ByteOrderMarkTest : public ::testing::TestWithParam<Marked> {};

TEST_P(ByteOrderMarkTest, ChangesNothing) {
  const std::string bytes =
      sim::ReadBinaryFile(std::string("tests/fuzz/corpus/") + GetParam().file);
  const std::string marked = "\xef\xbb\xbf" + bytes;
  const ImportedGraph plain = ImportGraph({.bytes = bytes, .place = "in", .stem = "small"}, "in");
  const ImportedGraph read = ImportGraph({.bytes = marked, .place = "in", .stem = "small"}, "in");
  EXPECT_EQ(read.summary.format, GetParam().format);
  EXPECT_EQ(read.graph->num_ops(), plain.graph->num_ops());
}

INSTANTIATE_TEST_SUITE_P(Texts,
                         ByteOrderMarkTest,
                         ::testing::Values(Marked{"torch", "torch_json/small.json"},
                                           Marked{"opyard", "graph_json/toy.json"},
                                           Marked{"costed", "tf_costed/small.json"},
                                           Marked{"costgraph", "cost_graph/small.pbtxt"},
                                           Marked{"hlo", "hlo_text/small.txt"},
                                           Marked{"graphml", "graphml/small.graphml"},
                                           Marked{"gxl", "gxl/small.gxl"},
                                           Marked{"stg", "stg/small.stg"},
                                           Marked{"doppler", "doppler/small.txt"}),
                         [](const auto& test) { return std::string(test.param.format); });

TEST(ByteOrderMarkTest, AFileOfAnEditorOfWindowsIsRead) {
  const ImportedGraph imported = ImportGraphFile("tests/graphs/importers/data/bom.stg");
  EXPECT_EQ(imported.graph->num_ops(), 4U);
}

}  // namespace
}  // namespace opyard::graphs
