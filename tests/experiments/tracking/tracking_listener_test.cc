#include "experiments/tracking/tracking_listener.h"

#include <filesystem>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::json;

CellKey TrackedCell() {
  return {.graph = "g", .hardware = "m", .agent = "a", .seed = 2};
}

// The steps and values of the lines, and how many there are.
std::vector<Json> Lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(Json::parse(line));
  }
  return lines;
}

TEST(TrackingListenerTest, EachImprovementIsWrittenAndTheEnd) {
  std::ostringstream out;
  Tracker tracker({.lines_stream = &out});
  {
    TrackingListener listener(tracker);
    listener.RunStarted(TrackedCell());
    listener.RunWentOn(TrackedCell(), {.evaluations = 1, .failures = 1});
    listener.RunWentOn(
        TrackedCell(),
        {.evaluations = 2, .best = SimTime{5'000}, .best_score = 5.0, .failures = 1});
    for (const std::int64_t evaluations : {3, 4}) {  // nothing better, and no second has gone by
      listener.RunWentOn(
          TrackedCell(),
          {.evaluations = evaluations, .best = SimTime{5'000}, .best_score = 5.0, .failures = 1});
    }
  }
  const std::vector<Json> lines = Lines(out.str());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].at("run"), "g.m/a/seed2");
  EXPECT_EQ(lines[0].at("values"), Json({{"search/failures", 1.0}}));
  EXPECT_EQ(lines[1].at("step"), 2);
  EXPECT_EQ(lines[1].at("values"),
            Json({{"search/failures", 1.0},
                  {"search/best_step_time_s", 5e-9},
                  {"search/best_score", 5.0}}));
  EXPECT_EQ(lines[2].at("step"), 4);
}

TEST(TrackingListenerTest, UpdatesOfAgentsAndOfTrainingsHaveTheirOwnSteps) {
  std::ostringstream out;
  Tracker tracker({.lines_stream = &out});
  {
    TrackingListener listener(tracker);
    listener.TrainingWentOn(
        "b:c",
        {.seed = 3, .num_updates = 7, .evaluations = 70, .seconds = 2, .values = {{"x", 1}}});
    listener.RunStarted(TrackedCell());
    RunSoFar so_far{.evaluations = 8};
    so_far.update = agents::TrainingRow{.num_updates = 5, .evaluations = 8, .values = {{"y", 2}}};
    listener.RunWentOn(TrackedCell(), so_far);
  }
  const std::vector<Json> lines = Lines(out.str());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].at("run").get<std::string>().find("training/_b_c-"), 0U);
  EXPECT_EQ(lines[0].at("values"),
            Json({{"training/evaluations", 70.0}, {"training/seconds", 2.0}, {"training/x", 1.0}}));
  EXPECT_EQ(lines[1].at("step"), 5);
  EXPECT_EQ(lines[1].at("values"), Json({{"learning/evaluations", 8.0}, {"learning/y", 2.0}}));
}

TEST(TrackerTest, EachBeginningAppendsAFileOfTheRun) {
  const testing::TemporaryFolder folder;
  for (int i = 0; i < 2; ++i) {
    Tracker tracker({.events_folder = folder.path() / "board"});
    tracker.Begin("r/s", 0, Tracker::Former::kForgotten);
    tracker.Add("r/s", 1, {{"x", 1.0}});
    tracker.End("r/s");
    EXPECT_EQ(tracker.problem(), std::nullopt);
  }
  std::size_t num_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "board" / "r/s")) {
    EXPECT_GT(entry.file_size(), 0U);
    ++num_files;
  }
  EXPECT_EQ(num_files, 2U);
}

TEST(TrackerTest, TheFolderIsMadeWithTheFirstRun) {
  const testing::TemporaryFolder folder;
  Tracker tracker({.events_folder = folder.path() / "results" / "board"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  tracker.Begin("r", 0, Tracker::Former::kForgotten);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "results" / "board" / "r"));
}

TEST(TrackerTest, AFolderThatCannotBeMadeIsRefusedAndALostFileIsNamed) {
  const testing::TemporaryFolder folder;
  std::ostringstream out;
  EXPECT_THROW(Tracker({.events_folder = "/dev/null/board"}), InputError);
  EXPECT_THROW(Tracker({.lines_file = folder.path().string()}), InputError);
  Tracker tracker({.lines_stream = &out});
  out.setstate(std::ios::badbit);
  tracker.Add("r", 1, {{"x", 1.0}});
  tracker.End("r");
  EXPECT_EQ(tracker.problem(), "standard output: cannot be written any more, and stays incomplete");
}

}  // namespace
}  // namespace opyard::experiments
