#include "experiments/runner/table.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/runner/figures.h"
#include "experiments/runner/statistics.h"
#include "experiments/runner/summary.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunRecord DoneRun(const std::string& agent, std::int64_t seed, double step_ms) {
  RunRecord run;
  run.cell = {.graph = "g", .hardware = "h", .agent = agent, .seed = seed};
  run.outcome = "completed";
  run.makespan = SimTime::FromSeconds(step_ms * 1e-3);
  run.evaluations = 10 * (seed + 1);
  run.seconds = 0.5;
  return run;
}

RunRecord FailedRun(const std::string& agent, std::int64_t seed) {
  RunRecord run = DoneRun(agent, seed, 1.0);
  run.status = RunStatus::kFailed;
  run.outcome = "out_of_memory";
  return run;
}

std::map<PairKey, Baseline> BaselineOf(double step_s) {
  return {{{"g", "h"}, {.agent = "slow", .step_s = step_s, .reason = ""}}};
}

TEST(StatisticsTest, IntervalIsStudents) {
  // 2, 3, 7: mean 4, deviations −2, −1, 3, s² = (4 + 1 + 9) / 2 = 7,
  // t(0.975; 2) · sqrt(7) / sqrt(3) = 4.3027 · 1.527525 = 6.57248
  const std::vector<double> values = {2.0, 3.0, 7.0};
  const MeanWithInterval mean = *MeanOf(values);
  EXPECT_DOUBLE_EQ(mean.mean, 4.0);
  EXPECT_NEAR(*mean.half_width, 6.57248, 1e-4);  // the quantile has five digits
}

TEST(StatisticsTest, OneValueHasNoIntervalAndNoneNoMean) {
  const std::vector<double> one = {3.0};
  EXPECT_EQ(MeanOf(one)->half_width, std::nullopt);
  EXPECT_FALSE(MeanOf({}).has_value());
}

TEST(StatisticsTest, QuantilesBeyondTheTableFollowOn) {
  // Published: t(0.975; 40) = 2.0211, (120) = 1.9799, (∞) = 1.9600.
  EXPECT_NEAR(StudentQuantile(40), 2.0211, 2e-4);
  EXPECT_NEAR(StudentQuantile(120), 1.9799, 2e-4);
  EXPECT_NEAR(StudentQuantile(1'000'000), 1.9600, 1e-4);
  EXPECT_GT(StudentQuantile(30), StudentQuantile(31));
}

TEST(SummaryTest, FailuresCountButDoNotEnterTheMean) {
  const auto summaries = Summarize({DoneRun("a", 0, 2.0), FailedRun("a", 1), DoneRun("a", 2, 4.0)});
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].num_runs, 3U);
  EXPECT_EQ(summaries[0].num_failed, 1U);
  EXPECT_DOUBLE_EQ(summaries[0].step_s->mean, 3e-3);      // (2 + 4) / 2 ms
  EXPECT_DOUBLE_EQ(summaries[0].mean_evaluations, 20.0);  // (10 + 20 + 30) / 3
}

TEST(SummaryTest, SpeedUpIsBaselineOverOwn) {
  auto summaries = Summarize({DoneRun("a", 0, 2.0), FailedRun("b", 0)});
  Compare(summaries, BaselineOf(5e-3));
  EXPECT_DOUBLE_EQ(*summaries[0].speed_up, 2.5);  // 5 ms / 2 ms
  EXPECT_EQ(summaries[1].speed_up, std::nullopt);
}

TEST(TextTableTest, ColumnsLineUpInCharactersNotBytes) {
  TextTable table({{.title = "n"}, {.title = "value", .align = Align::kRight}, {.title = "end"}});
  table.AddRow({"ä", "1 ± 2", "x"});
  table.AddRow({"long name", "—", ""});
  EXPECT_EQ(table.Text(),
            "n          value  end\n"
            "ä          1 ± 2  x\n"
            "long name      —\n");
}

TEST(ComparisonTest, OneLinePerAgentAndNamesAreNeverCut) {
  const std::string name(300, 'n');
  auto summaries = Summarize({DoneRun(name, 0, 2.0), DoneRun("b", 0, 3.0)});
  const std::string text = ComparisonText(summaries, BaselineOf(1.0));
  EXPECT_THAT(text, HasSubstr(name + " "));
  // "g on h", the titles, two agents.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST(ComparisonTest, ShowsFiguresAndFailures) {
  auto summaries =
      Summarize({DoneRun("fast", 0, 2.0), DoneRun("fast", 1, 2.0), FailedRun("fat", 0)});
  Compare(summaries, BaselineOf(5e-3));
  const std::string text = ComparisonText(summaries, BaselineOf(5e-3));
  EXPECT_THAT(text, HasSubstr("agent  step time [ms]  vs slow  evaluations  seconds  failed\n"));
  // Mean of 10 and 20 evaluations; 5 ms / 2 ms.
  EXPECT_THAT(text, HasSubstr("fast    2.000 ± 0.000   2.500x           15     0.50  0/2\n"));
  EXPECT_THAT(text,
              HasSubstr("fat                 —        —           10     0.50  1/1 out_of_memory"));
}

TEST(ComparisonTest, SaysWhyThereIsNoSpeedUp) {
  auto summaries = Summarize({DoneRun("a", 0, 2.0)});
  const std::map<PairKey, Baseline> baselines = {
      {{"g", "h"}, {.agent = "single", .step_s = std::nullopt, .reason = "out_of_memory"}}};
  Compare(summaries, baselines);
  EXPECT_THAT(ComparisonText(summaries, baselines),
              HasSubstr("no speed-up: the baseline single has no step time (out_of_memory)"));
}

TEST(ComparisonTest, ControlCharactersDoNotReachTheTerminal) {
  const auto summaries = Summarize({DoneRun("evil\x1b[2J\n", 0, 2.0)});
  EXPECT_THAT(ComparisonText(summaries, BaselineOf(1.0)), Not(HasSubstr("\x1b")));
}

TEST(FiguresTest, BytesTakeTheirUnit) {
  EXPECT_EQ(BytesText(Bytes{1023}), "1023 B");
  EXPECT_EQ(BytesText(Bytes{1536}), "1.50 KiB");
  EXPECT_EQ(BytesText(Bytes{std::int64_t{3} << 30}), "3.00 GiB");
  EXPECT_EQ(Milliseconds(SimTime{1'500'000'000}), "1.500 ms");
}

}  // namespace
}  // namespace opyard::experiments
