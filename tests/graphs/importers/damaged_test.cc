// Cut and changed inputs give a graph or an Error, whatever the importer.
#include <algorithm>
#include <cctype>

#include <gtest/gtest.h>

#include "sim/io/text/text_file.h"
#include "tests/graphs/importers/imported.h"
#include "tests/support/damaged_texts.h"

namespace opyard::graphs {
namespace {

struct Sample {
  const char* format;
  const char* file;  // in the corpus of the fuzzer
};

class DamagedInputTest : public ::testing::TestWithParam<Sample> {
 protected:
  [[nodiscard]] static std::string Bytes() {
    return sim::ReadBinaryFile(std::string("tests/fuzz/corpus/") + GetParam().file);
  }

  // True if `bytes` are a graph. Anything but a graph or an Error leaves this function.
  static bool IsGraph(const std::string& bytes) {
    try {
      return ImportText(bytes, GetParam().format).graph != nullptr;
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
      return false;
    }
  }
};

TEST_P(DamagedInputTest, IsAGraphWhenWhole) {
  EXPECT_TRUE(IsGraph(Bytes()));
  const std::string bytes = Bytes();
  EXPECT_EQ(ImportGraph({.bytes = bytes, .place = "in", .stem = "small"}, "in").summary.format,
            GetParam().format);
}

TEST_P(DamagedInputTest, IsAGraphOrAnErrorWhenCut) {
  const std::string bytes = Bytes();
  EXPECT_FALSE(IsGraph(""));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    static_cast<void>(IsGraph(bytes.substr(0, size)));
  }
}

TEST_P(DamagedInputTest, IsAGraphOrAnErrorWhenBytesChange) {
  const auto read = [](const std::string& bytes) {
    static_cast<void>(ImportText(bytes, GetParam().format));
  };
  const int refused = opyard::testing::CountRefused(Bytes(), read);
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, opyard::testing::kDamagedFiles);
}

INSTANTIATE_TEST_SUITE_P(Importers,
                         DamagedInputTest,
                         ::testing::Values(Sample{"torch", "torch_json/small.json"},
                                           Sample{"graphdef", "tf_graphdef/small.pb"},
                                           Sample{"graphdef", "tf_graphdef/functions.pbtxt"},
                                           Sample{"costed", "tf_costed/small.json"},
                                           Sample{"costgraph", "cost_graph/small.pbtxt"},
                                           Sample{"hlo", "hlo_text/small.txt"},
                                           Sample{"graphml", "graphml/small.graphml"},
                                           Sample{"gxl", "gxl/small.gxl"},
                                           Sample{"stg", "stg/small.stg"},
                                           Sample{"doppler", "doppler/small.txt"}),
                         [](const auto& sample) {
                           std::string name = sample.param.file;
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace opyard::graphs
