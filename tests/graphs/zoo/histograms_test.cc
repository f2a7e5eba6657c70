// Counts of ops by type in the zoo's models, as listed in tests/golden/zoo_histograms.txt.
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/zoo/zoo.h"
#include "tests/graphs/builder/built_graphs.h"
#include "tests/support/golden_text.h"

namespace opyard::graphs {
namespace {

std::string Histograms() {
  std::ostringstream text;
  for (const auto& source : ZooSources()) {
    for (const char* scale : {"full", "small", "tiny"}) {
      const std::string reference = source->name() + "?scale=" + scale;
      const auto graph = LoadGraph(reference);
      text << reference << " " << graph->num_ops() << " ops:";
      for (const auto& [type, count] : CountTypes(*graph)) {
        text << " " << type << "=" << count;
      }
      text << "\n";
    }
  }
  return text.str();
}

TEST(ZooHistogramGoldenTest, EveryModelHasTheOpsThatAreListed) {
  EXPECT_TRUE(opyard::testing::EqualsGolden("zoo_histograms.txt", Histograms()));
}

}  // namespace
}  // namespace opyard::graphs
