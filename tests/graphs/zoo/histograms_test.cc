// How many ops of each type the zoo's models have, as listed in tests/golden/zoo_histograms.txt.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_source.h"
#include "graphs/zoo/zoo.h"
#include "tests/graphs/builder/built_graphs.h"

namespace opyard::graphs {
namespace {

const char* const kGolden = "tests/golden/zoo_histograms.txt";  // tests run in the project's root

std::string Histograms() {
  std::ostringstream text;
  text << "# Rewritten by OPYARD_REWRITE_GOLDEN=1 graphs_tests "
          "--gtest_filter='ZooHistogramTest.*'\n";
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

TEST(ZooHistogramTest, EveryModelHasTheOpsThatAreListed) {
  const std::string found = Histograms();
  if (std::getenv("OPYARD_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(kGolden) << found;
  }
  std::ifstream file(kGolden);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace opyard::graphs
