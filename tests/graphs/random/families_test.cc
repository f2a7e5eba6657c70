// Properties of every random family.
#include "graphs/random/families.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/random/sample_topology.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"

namespace opyard::graphs {
namespace {

std::vector<std::string> RandomSources() {
  std::vector<std::string> names;
  for (const auto& source : GraphSources()) {
    if (source->name().starts_with("random:")) {
      names.push_back(source->name());
    }
  }
  return names;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, ':', '_');
  return name;
}

// The graph as text, without the name that holds the seed.
std::string BodyOf(const std::string& reference) {
  const std::string text = sim::WriteGraphText(*LoadGraph(reference));
  return text.substr(text.find("\"ops\""));
}

class RandomFamilyTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomFamilyTest, MakesSomeHundredOpsWithoutOptions) {
  for (int seed = 0; seed < 20; ++seed) {
    const auto graph = LoadGraph(GetParam() + "?seed=" + std::to_string(seed));
    EXPECT_GE(graph->num_ops(), 100U) << seed;
    EXPECT_LE(graph->num_ops(), 1200U) << seed;
  }
}

TEST_P(RandomFamilyTest, WrittenGraphsReadBackEqual) {
  const std::string text = sim::WriteGraphText(*LoadGraph(GetParam() + "?seed=5"));
  EXPECT_EQ(sim::WriteGraphText(*sim::ReadGraphText(text, "graph")), text);
}

TEST_P(RandomFamilyTest, EqualSeedsGiveEqualGraphsAndTwentySeedsGiveTwenty) {
  EXPECT_EQ(BodyOf(GetParam() + "?seed=5"), BodyOf(GetParam() + "?seed=5"));
  std::set<std::string> bodies;
  for (int seed = 0; seed < 20; ++seed) {
    bodies.insert(BodyOf(GetParam() + "?seed=" + std::to_string(seed)));
  }
  EXPECT_EQ(bodies.size(), 20U);
}

TEST_P(RandomFamilyTest, RefusesUnknownOptions) {
  EXPECT_THROW(static_cast<void>(LoadGraph(GetParam() + "?colour=red")), InputError);
}

INSTANTIATE_TEST_SUITE_P(AllOfThem,
                         RandomFamilyTest,
                         ::testing::ValuesIn(RandomSources()),
                         TestName);

// Whatever the number of ops, the graph has them: its builder refuses cycles and dangling edges.
RC_GTEST_PROP(RandomTopologiesTest, MakeExactlyTheOpsAskedFor, ()) {
  const auto which = *rc::gen::inRange<std::size_t>(0, TopologyFamilies().size());
  const auto num_ops = *rc::gen::inRange(1, 200);
  const auto seed = *rc::gen::inRange(0, 1000);
  const auto graph = LoadGraph("random:" + std::string(TopologyFamilies()[which].name) +
                               "?n=" + std::to_string(num_ops) + "&seed=" + std::to_string(seed));
  RC_ASSERT(graph->num_ops() == static_cast<std::size_t>(num_ops));
}

TEST(RandomTopologiesTest, OpsWithoutInputsArePlaceholdersAndOnlyThose) {
  const auto graph = LoadGraph("random:erdos_renyi?n=200&p=0.01");
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    EXPECT_EQ(graph->inputs(OpId(i)).empty(), graph->op(OpId(i)).type == "Placeholder") << i;
  }
}

TEST(RandomTopologiesTest, SummariesAndNamesAreSorted) {
  EXPECT_TRUE(std::ranges::is_sorted(TopologyFamilies(), {}, &TopologyFamily::name));
}

// The message of LoadGraph about `reference`; "" if it accepts it.
std::string Refusal(const std::string& reference) {
  try {
    static_cast<void>(LoadGraph(reference));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RandomTopologiesTest, RefuseTooManyEdgesBeforeSamplingThem) {
  // 0.05 · 100,000 · 99,999 / 2
  EXPECT_THAT(Refusal("random:erdos_renyi?n=100000"),
              ::testing::HasSubstr("about 249997500 edges, expected at most 20000000"));
  EXPECT_THAT(Refusal("random:stochastic_block?n=1000000&communities=1"),
              ::testing::HasSubstr("expected at most 20000000"));
  EXPECT_THAT(Refusal("random:barabasi_albert?n=1000000&attach=64"),
              ::testing::HasSubstr("about 64000000 edges"));
}

TEST(RandomTopologiesTest, RefuseOptionsOutOfRange) {
  EXPECT_THAT(Refusal("random:watts_strogatz?degree=3"),
              ::testing::HasSubstr("option degree: found 3, expected an even number"));
  EXPECT_THAT(Refusal("random:erdos_renyi?p=1.5"), ::testing::HasSubstr("option p: found 1.5"));
  EXPECT_THAT(Refusal("random:fork_join?branches=0"), ::testing::HasSubstr("option branches"));
}

}  // namespace
}  // namespace opyard::graphs
