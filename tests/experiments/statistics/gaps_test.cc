#include "experiments/statistics/gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/statistics/finished_runs.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RunRecord OnGraph(const std::string& graph, RunRecord run) {
  run.cell.graph = graph;
  return run;
}

KnownOptima Known(bool is_proven) {
  return {.table = "optima.csv",
          .optima = {{{"g", "h"}, {.makespan = SimTime{2'000'000'000}, .is_proven = is_proven}}}};
}

TEST(GapsTest, RunsAtTheOptimumReachItAndFailedOnesDoNot) {
  const OptimaComparison comparison = CompareWithOptima(
      {DoneRun("a", 0, 2.0), DoneRun("a", 1, 3.0), FailedRun("a", 2), FailedRun("b", 0)},
      Known(true));
  ASSERT_EQ(comparison.agents.size(), 2U);
  EXPECT_EQ(comparison.num_proven, 1U);
  EXPECT_EQ(comparison.agents[0].num_runs, 3U);
  EXPECT_EQ(comparison.agents[0].num_reached, 1U);
  EXPECT_EQ(comparison.agents[0].num_failed, 1U);
  // 2 ms over 2 ms and 3 ms over 2 ms: 0 and 50 %.
  EXPECT_DOUBLE_EQ(*comparison.agents[0].mean_gap_percent, 25.0);
  EXPECT_DOUBLE_EQ(*comparison.agents[0].largest_gap_percent, 50.0);
  EXPECT_EQ(comparison.agents[1].mean_gap_percent, std::nullopt);
  const std::string text = GapsText(comparison);
  EXPECT_THAT(text, HasSubstr("gap to optima.csv: 1 of 1 problem known, 1 proven optimal\n"));
  EXPECT_THAT(text, HasSubstr("a         3        1         33.3         25.00            50.00"));
  EXPECT_THAT(text, Not(HasSubstr("not in the table")));
}

TEST(GapsTest, ProblemsThatTheTableLacksAreNamed) {
  KnownOptima known = Known(true);
  known.num_other_rows = 1;
  const OptimaComparison comparison = CompareWithOptima({DoneRun("a", 0, 2.0),
                                                         OnGraph("new", DoneRun("a", 0, 7.0)),
                                                         OnGraph("new", FailedRun("b", 0))},
                                                        known);
  EXPECT_THAT(comparison.unknown, ElementsAre(PairKey("new", "h")));
  ASSERT_EQ(comparison.agents.size(), 1U);
  EXPECT_EQ(comparison.agents[0].num_runs, 1U);
  const std::string text = GapsText(comparison);
  EXPECT_THAT(text, HasSubstr("1 of 2 problems known"));
  EXPECT_THAT(text, HasSubstr("not in the table, and left out: new on h\n"));
  EXPECT_THAT(text, HasSubstr("1 row of the table, of other graphs or machines: not used\n"));
}

TEST(GapsTest, ARunBelowAProvenOptimumIsAContradiction) {
  const OptimaComparison comparison = CompareWithOptima({DoneRun("a", 3, 1.5)}, Known(true));
  ASSERT_EQ(comparison.refuted.size(), 1U);
  EXPECT_THAT(comparison.beaten, IsEmpty());
  EXPECT_THAT(ContradictionText(comparison),
              HasSubstr("CONTRADICTION: 1 run shorter than a proven"));
  EXPECT_THAT(ContradictionText(comparison), HasSubstr("a (seed 3) with g on h: 1.5"));
}

TEST(GapsTest, ARunBelowTheBestKnownIsNews) {
  const OptimaComparison comparison = CompareWithOptima({DoneRun("a", 0, 1.5)}, Known(false));
  EXPECT_EQ(ContradictionText(comparison), "");
  EXPECT_EQ(comparison.num_proven, 0U);
  EXPECT_EQ(comparison.agents[0].num_reached, 1U);
  EXPECT_DOUBLE_EQ(*comparison.agents[0].mean_gap_percent, -25.0);
  EXPECT_THAT(GapsText(comparison),
              HasSubstr("better than the best known: a (seed 0) with g on h"));
}

}  // namespace
}  // namespace opyard::experiments
