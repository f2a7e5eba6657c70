#include "sim/cost/cost_models.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using ::opyard::testing::GraphOf;
using ::opyard::testing::RoundDevice;
using ::opyard::testing::SpecOf;
using ::testing::ElementsAre;

std::string ErrorOf(const std::string& name) {
  try {
    static_cast<void>(MakeCostModel(name));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CostModelsTest, TheDefaultComesFirst) {
  EXPECT_THAT(CostModelNames(), ElementsAre(kDefaultCostModel, "peak_roofline"));
}

TEST(CostModelsTest, EachIsMadeByItsNameAndHasAPhraseOfItsOwn) {
  const auto graph = GraphOf(SpecOf("Relu", 3e6, 500'000));
  std::set<std::string> summaries;
  for (const CostModelEntry& entry : CostModels()) {
    // 3 us of FLOPs, 5 us of bytes at the peaks; 2 us + 5 us, as the device reaches them
    EXPECT_DOUBLE_EQ(MakeCostModel(entry.name)->Cost(*graph, OpId(0), RoundDevice()).total_s, 7e-6)
        << entry.name;
    summaries.insert(entry.summary);
  }
  EXPECT_EQ(summaries.size(), CostModels().size());
}

TEST(CostModelsTest, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(ErrorOf("peak_rooflin"),
            "cost_model: found \"peak_rooflin\", expected one of roofline, peak_roofline; did you "
            "mean \"peak_roofline\"?");
}

}  // namespace
}  // namespace opyard::sim
