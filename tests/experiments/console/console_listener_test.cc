#include "experiments/console/console_listener.h"

#include <sstream>

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

CellKey CellOf(std::int64_t seed) {
  return {.graph = "g", .hardware = "m", .agent = "a", .seed = seed};
}

RunRecord RecordOf(std::int64_t seed) {
  RunRecord record;
  record.cell = CellOf(seed);
  record.status = RunStatus::kDone;
  record.makespan = SimTime{7'000'000'000};  // 7 ms
  record.evaluations = 3;
  record.seconds = 0.25;
  return record;
}

TEST(ConsoleListenerTest, LinesAreOfFinishedRunsOnly) {
  std::ostringstream err;
  {
    ConsoleListener listener(err, ProgressStyle::kLines);
    listener.MatrixStarted({.num_runs = 5, .num_done = 2, .missing = {"a", "a", "a"}});
    listener.RunStarted(CellOf(0));
    listener.RunWentOn(CellOf(0), {.evaluations = 1});
    listener.RunFinished(RecordOf(0));
  }
  // Two runs like this one are left: 0.5 s.
  EXPECT_EQ(err.str(),
            "[3/5] g · m · a · seed 0: 7.000 ms, 3 evaluations, 0.25 s, about 1 s left\n");
}

TEST(ConsoleListenerTest, TheTimeLeftIsALowerBoundWhileAnAgentIsUnknown) {
  std::ostringstream err;
  ConsoleListener listener(err, ProgressStyle::kLines);
  listener.MatrixStarted({.num_runs = 3, .missing = {"a", "a", "b"}});
  listener.RunFinished(RecordOf(0));
  EXPECT_EQ(err.str(),
            "[1/3] g · m · a · seed 0: 7.000 ms, 3 evaluations, 0.25 s, at least 1 s left\n");
}

TEST(ConsoleListenerTest, TheBarNamesAllRunningCellsAndIsCutAtTheTerminal) {
  std::ostringstream err;
  {
    ConsoleListener listener(err, ProgressStyle::kBar, 60);
    listener.MatrixStarted({.num_runs = 2, .num_jobs = 2, .missing = {"a", "a"}});
    listener.RunStarted(CellOf(0));
    listener.RunStarted(CellOf(1));
    listener.RunWentOn(CellOf(0), {.evaluations = 1, .best = SimTime{8'000'000'000}});
  }
  EXPECT_EQ(err.str(), "\r[0/2] g · m · a · seed 0: 1 evaluations, best 8.000 ms | g…\033[K\n");
}

TEST(ConsoleListenerTest, TheBarOfALoneSearchHasNoCountOfRunsAndIsWiped) {
  std::ostringstream err;
  {
    ConsoleListener listener(err, ProgressStyle::kBar);
    listener.RunStarted(CellOf(0));
    listener.RunWentOn(CellOf(0), {.evaluations = 2, .best = SimTime{8'000'000'000}});
  }
  EXPECT_EQ(err.str(), "\rg · m · a · seed 0: 2 evaluations, best 8.000 ms\033[K\r\033[K");
}

TEST(ConsoleListenerTest, TrainingIsReportedOfAtItsEnd) {
  std::ostringstream err;
  ConsoleListener listener(err, ProgressStyle::kLines);
  listener.MatrixStarted({.num_runs = 3, .missing = {"a"}});
  listener.TrainingWentOn("a", {.num_updates = 1, .planned_updates = 2, .seconds = 3.0});
  listener.TrainingWentOn("a", {.num_updates = 2, .planned_updates = 2, .seconds = 6.0});
  EXPECT_EQ(err.str(), "[0/3] training a: update 2 of 2, 6 s\n");
}

TEST(ConsoleListenerTest, TheBarIsRewrittenAndItsLineEndedAtLast) {
  std::ostringstream err;
  {
    ConsoleListener listener(err, ProgressStyle::kBar);
    listener.MatrixStarted({.num_runs = 2});
    listener.RunWentOn(CellOf(0), {.evaluations = 1, .best = SimTime{8'000'000'000}});
    listener.RunFinished(RecordOf(0));
  }
  EXPECT_EQ(err.str(),
            "\r[0/2] g · m · a · seed 0: 1 evaluations, best 8.000 ms\033[K"
            "\r[1/2] g · m · a · seed 0: 7.000 ms, 3 evaluations, 0.25 s\033[K\n");
}

TEST(ConsoleListenerTest, ASilentOneStillPrintsNotices) {
  std::ostringstream err;
  {
    ConsoleListener listener(err, ProgressStyle::kSilent);
    listener.Noticed({.kind = NoticeKind::kWarning, .text = "odd\n"});
    listener.Noticed({.kind = NoticeKind::kNote, .text = "near\n"});
    listener.MatrixStarted({.num_runs = 1});
    listener.RunFinished(RecordOf(0));
  }
  EXPECT_EQ(err.str(), "warning: odd\nnote: near\n");
}

}  // namespace
}  // namespace opyard::experiments
