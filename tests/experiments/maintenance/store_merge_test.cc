// Pieces of an experiment, and what joins them.
#include "experiments/maintenance/store_merge.h"

#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "experiments/store/sqlite.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

// Seeds 0 to 4 of random, one run of single_device: 6 cells.
Ended RunPiece(const Workplace& place,
               const std::string& shard,
               const std::string& out,
               const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {"run",
                                   place.Path("experiment.yaml"),
                                   "--out",
                                   place.Path(out),
                                   "--quiet",
                                   "--set",
                                   "seeds=[0, 1, 2, 3, 4]"};
  if (!shard.empty()) {
    args.insert(args.end(), {"--shard", shard});
  }
  args.insert(args.end(), more.begin(), more.end());
  return RunCommand(args);
}

Ended Merge(const Workplace& place, const std::vector<std::string>& pieces) {
  std::vector<std::string> args = {"results", "merge"};
  for (const std::string& piece : pieces) {
    args.push_back(place.Path(piece));
  }
  args.insert(args.end(), {"--out", place.Path("joined"), "--json"});
  return RunCommand(args);
}

// The findings of each run, but for times.
std::map<CellKey, std::string> AnswersOf(const std::string& results) {
  ResultStore store = ResultStore::OpenToRead(results);
  std::map<CellKey, std::string> answers;
  for (const StoredRun& run : store.Runs()) {
    answers[run.record.cell] = std::to_string(run.record.makespan->picoseconds) + " " +
                               std::to_string(run.record.evaluations) + " " +
                               std::to_string(store.HistoryOf(run.id).size()) + " " +
                               store.PlanOf(run.id);
  }
  return answers;
}

TEST(StoreMergeTest, PiecesTogetherAreTheWholeExperiment) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "", "whole").status, 0);
  std::size_t num_runs = 0;
  for (const char* piece : {"1/3", "2/3", "3/3"}) {
    const std::string out = std::string("piece") + piece[0];
    const Ended ended = RunPiece(place, piece, out);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(AnswersOf(place.Path(out)).size(), 2U);  // of 6
    num_runs += 2;
  }
  const Ended merged = Merge(place, {"piece1", "piece2", "piece3"});
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(merged.Json().at("runs"), num_runs);
  EXPECT_EQ(merged.Json().at("new"), num_runs);
  EXPECT_EQ(merged.Json().at("missing"), 0);
  EXPECT_EQ(AnswersOf(place.Path("joined")), AnswersOf(place.Path("whole")));
  EXPECT_EQ(RunCommand({"validate", place.Path("joined")}).status, 0);
}

TEST(StoreMergeTest, TheFolderOfThePiecesTakesTheJoinedStore) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "joined/pieces/a").status, 0);
  ASSERT_EQ(RunPiece(place, "2/2", "joined/pieces/b").status, 0);
  const Ended merged = Merge(place, {"joined/pieces/a", "joined/pieces/b"});
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(AnswersOf(place.Path("joined")).size(), 6U);
}

TEST(StoreMergeTest, AFolderWithAnythingElseIsRefused) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "joined/pieces/a").status, 0);
  ASSERT_EQ(RunPiece(place, "2/2", "b").status, 0);
  const Ended merged = Merge(place, {"b"});
  EXPECT_EQ(merged.status, 2);
  EXPECT_THAT(merged.err, HasSubstr("this folder is not empty"));
}

TEST(StoreMergeTest, AgainItChangesNothing) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "a").status, 0);
  ASSERT_EQ(RunPiece(place, "2/2", "b").status, 0);
  ASSERT_EQ(Merge(place, {"a", "b"}).status, 0);
  const auto before = AnswersOf(place.Path("joined"));
  const Ended again = Merge(place, {"b", "a", "b"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.Json().at("new"), 0);
  EXPECT_EQ(again.Json().at("known"), 9);  // 3 + 3 + 3
  EXPECT_EQ(AnswersOf(place.Path("joined")), before);
}

TEST(StoreMergeTest, PiecesThatAreNotFinishedCountWhatIsMissing) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "a").status, 0);
  const Ended merged = Merge(place, {"a"});
  EXPECT_EQ(merged.Json().at("runs"), 3);
  EXPECT_EQ(merged.Json().at("missing"), 3);
}

TEST(StoreMergeTest, TheJoinedStoreGoesOnAsTheWholeExperiment) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "", "whole").status, 0);
  ASSERT_EQ(RunPiece(place, "2/2", "b").status, 0);
  ASSERT_EQ(Merge(place, {"b"}).status, 0);
  const Ended rest = RunPiece(place, "", "joined", {"--resume"});
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(AnswersOf(place.Path("joined")), AnswersOf(place.Path("whole")));
}

TEST(StoreMergeTest, EveryConflictIsNamedAndNothingIsWritten) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "a").status, 0);
  ASSERT_EQ(RunPiece(place,
                     "2/2",
                     "b",
                     {"--set",
                      "budget.evaluations=21",
                      "--set",
                      "max_groups=7",
                      "--set",
                      "agents=[single_device, {name: random, params: {levels: 3}}]"})
                .status,
            0);
  const Ended merged = Merge(place, {"a", "b"});
  EXPECT_EQ(merged.status, 2);
  const std::string a = place.Path("a") + "/results.sqlite has ";
  const std::string b = place.Path("b") + "/results.sqlite has ";
  EXPECT_THAT(merged.err, HasSubstr("agent random: budget.evaluations: " + a + "20, " + b + "21"));
  EXPECT_THAT(merged.err, HasSubstr("experiment.max_groups: " + a + "0, " + b + "7"));
  EXPECT_THAT(merged.err, HasSubstr("agent random: params.levels: " + a + "none, " + b + "3"));
  EXPECT_FALSE(std::filesystem::exists(place.Path("joined")));
}

TEST(StoreMergeTest, TwoAnswersOfOneCellAreAConflict) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "", "a").status, 0);
  ASSERT_EQ(RunPiece(place, "", "b").status, 0);
  Database(place.Path("b/results.sqlite"), OpenMode::kReadWrite)
      .Execute("UPDATE runs SET makespan_ps = 3 WHERE agent = 'single_device'");
  const Ended merged = Merge(place, {"a", "b"});
  EXPECT_EQ(merged.status, 2);
  EXPECT_THAT(merged.err,
              HasSubstr("run of single_device on toy.graph.json, machines/two.yaml, seed 0"
                        ".makespan_ps: "));
}

TEST(StoreMergeTest, AnotherGraphIsAConflict) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "a").status, 0);
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("0.003"), 5, "0.004");
  place.Write("toy.graph.json", graph);
  ASSERT_EQ(RunPiece(place, "2/2", "b").status, 0);
  EXPECT_THAT(Merge(place, {"a", "b"}).err, HasSubstr("graph toy.graph.json: SHA-256: "));
}

TEST(StoreMergeTest, AnOlderStoreJoinsAndThenNobodyKnowsWhatIsMissing) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "a").status, 0);
  ASSERT_EQ(RunPiece(place, "2/2", "b").status, 0);
  Database(place.Path("b/results.sqlite"), OpenMode::kReadWrite)
      .Execute("DELETE FROM info WHERE key = 'matrix'");
  ASSERT_EQ(Merge(place, {"a", "b"}).status, 0);
  const Ended list = RunCommand({"results", "list", place.Path("joined"), "--json"});
  EXPECT_EQ(list.Json()[0].at("done"), 6);
  EXPECT_TRUE(list.Json()[0].at("missing").is_null());
}

TEST(ShardedRunTest, AnotherPieceOfAFolderIsRefused) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "1/2", "a").status, 0);
  const Ended other = RunPiece(place, "2/2", "a", {"--resume"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err,
              HasSubstr("--shard: the results were made with \"1/2\", the experiment "
                        "says \"2/2\""));
  EXPECT_EQ(RunPiece(place, "3/2", "c").status, 2);
}

TEST(ShardedRunTest, APieceKeepsItsCellsWhenItIsResumed) {
  const Workplace place;
  ASSERT_EQ(RunPiece(place, "2/2", "a").status, 0);
  const auto before = AnswersOf(place.Path("a"));
  Database(place.Path("a/results.sqlite"), OpenMode::kReadWrite)
      .Execute("DELETE FROM runs WHERE id = 2");
  ASSERT_EQ(RunPiece(place, "2/2", "a", {"--resume"}).status, 0);
  EXPECT_EQ(AnswersOf(place.Path("a")), before);
}

TEST(ShardedRunTest, APieceWithoutTheBaselinesRunSearchesForIt) {
  const Workplace place;
  for (const char* piece : {"1/2", "2/2"}) {
    const Ended ended =
        RunPiece(place, piece, std::string("p") + piece[0], {"--set", "problem.baseline=random"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("single_device"));
  }
}

}  // namespace
}  // namespace opyard::experiments
