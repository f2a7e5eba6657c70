// The engine under every rule of a machine, held to the texts of tests/golden/engine/.
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/machine/machine_words.h"
#include "tests/sim/engine/golden_cases.h"
#include "tests/support/golden_text.h"

namespace opyard::testing {
namespace {

class EngineGoldenTest : public ::testing::TestWithParam<GoldenFile> {};

TEST_P(EngineGoldenTest, RunsGoAsTheyDid) {
  std::string text = GoldenLegend();
  for (const GoldenCase& golden : GetParam().make_cases()) {
    SCOPED_TRACE(golden.name);
    text += TextOf(golden);
  }
  EXPECT_TRUE(EqualsGolden("engine/" + GetParam().name + ".txt", text));
}

INSTANTIATE_TEST_SUITE_P(Machines,
                         EngineGoldenTest,
                         ::testing::ValuesIn(GoldenFiles()),
                         [](const auto& file) { return file.param.name; });

// The number of values of a rule among the cases.
template <class Value>
std::size_t CountValues(Value (*value_of)(const GoldenCase&)) {
  std::set<Value> values;
  for (const GoldenFile& file : GoldenFiles()) {
    for (const GoldenCase& golden : file.make_cases()) {
      values.insert(value_of(golden));
    }
  }
  return values.size();
}

// A word of machine files for each enumerator.
TEST(EngineGoldensTest, EveryValueOfARuleHasACase) {
  EXPECT_EQ(CountValues<sim::Rules>([](const auto& golden) { return golden.machine.rules; }),
            sim::kRulesWords.size());
  EXPECT_EQ(CountValues<sim::Sharing>(
                [](const auto& golden) { return golden.machine.transfers.sharing; }),
            sim::kSharingWords.size());
  EXPECT_EQ(
      CountValues<sim::OnePer>([](const auto& golden) { return golden.machine.transfers.one_per; }),
      sim::kOnePerWords.size());
  EXPECT_EQ(CountValues<sim::OnExceed>(
                [](const auto& golden) { return golden.machine.memory.on_exceed; }),
            sim::kOnExceedWords.size());
}

TEST(EngineGoldensTest, NoFileIsLeftOver) {
  std::vector<std::string> names;
  for (const GoldenFile& file : GoldenFiles()) {
    names.push_back(file.name);
  }
  EXPECT_THAT(GoldensIn("engine"), ::testing::Each(::testing::AnyOfArray(names)));
}

}  // namespace
}  // namespace opyard::testing
