#include "experiments/statistics/comparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/statistics/finished_runs.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
  EXPECT_THAT(text,
              HasSubstr("agent  step time [ms]  vs slow  evaluations  seconds  CPU s  failed\n"));
  // Mean of 10 and 20 evaluations; 5 ms / 2 ms.
  EXPECT_THAT(text,
              HasSubstr("fast    2.000 ± 0.000   2.500x           15     0.50   0.75  0/2\n"));
  EXPECT_THAT(
      text,
      HasSubstr("fat                 —        —           10     0.50   0.75  1/1 out_of_memory"));
}

TEST(ComparisonTest, ProcessorTimeOfAnOlderRunIsNotKnown) {
  RunRecord old = DoneRun("fast", 1, 2.0);
  old.cpu_seconds = std::nullopt;
  const std::string text = ComparisonText(Summarize({DoneRun("fast", 0, 2.0), old}), {});
  EXPECT_THAT(text, HasSubstr("     0.50      —  0/2\n"));
}

TEST(ComparisonTest, TellsWhatASearchOfTheBaselineTook) {
  const std::map<PairKey, Baseline> baselines = {
      {{"g", "h"},
       {.agent = "slow",
        .step_s = 5e-3,
        .reason = "",
        .search = BaselineCost{.seconds = 0.25, .cpu_seconds = 0.5}}}};
  EXPECT_THAT(ComparisonText(Summarize({DoneRun("fast", 0, 2.0)}), baselines),
              HasSubstr("baseline slow: 5.000 ms, found in 0.25 s (0.50 CPU s)\n"));
}

TEST(ComparisonTest, TheShortestStepChoosesTheUnitOfItsTable) {
  const auto summaries = Summarize({DoneRun("fast", 0, 0.003), DoneRun("slow", 0, 2.0)});
  const std::string text = ComparisonText(summaries, BaselineOf(1.0));
  EXPECT_THAT(text, HasSubstr("agent  step time [us]"));
  EXPECT_THAT(text, HasSubstr("\nfast            3.000"));
  EXPECT_THAT(text, HasSubstr("\nslow         2000.000"));
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

}  // namespace
}  // namespace opyard::experiments
