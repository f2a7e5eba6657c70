// Results files of all versions of the schema.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "experiments/store/sqlite.h"
#include "sim/base/data_root.h"
#include "tests/experiments/store/records.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using opyard::testing::TemporaryFolder;

// Makes the store in `folder` one of schema version 7, which had no bounds of agents.
void MakeVersion7(const fs::path& folder) {
  Database database(ResultStore::FileOf(folder), OpenMode::kReadWrite);
  database.Execute("ALTER TABLE runs DROP COLUMN agent_bound");
  database.Execute("PRAGMA user_version = 7");
}

// The same for version 6, which did not name the cost model either.
void MakeVersion6(const fs::path& folder) {
  MakeVersion7(folder);
  Database database(ResultStore::FileOf(folder), OpenMode::kReadWrite);
  database.Execute("ALTER TABLE runs DROP COLUMN cost_model");
  database.Execute("PRAGMA user_version = 6");
}

// The same for version 5, which did not say where searches began either.
void MakeVersion5(const fs::path& folder) {
  MakeVersion6(folder);
  Database database(ResultStore::FileOf(folder), OpenMode::kReadWrite);
  database.Execute("ALTER TABLE runs DROP COLUMN start");
  database.Execute("PRAGMA user_version = 5");
}

// The same for version 4, which had no trainings and no bounds either.
void MakeVersion4(const fs::path& folder) {
  MakeVersion5(folder);
  Database database(ResultStore::FileOf(folder), OpenMode::kReadWrite);
  database.Execute("ALTER TABLE runs DROP COLUMN training_id");
  database.Execute("ALTER TABLE runs DROP COLUMN failure");
  database.Execute("DROP TABLE trainings; DROP TABLE bounds");
  database.Execute("DELETE FROM info WHERE key IN ('resolved', 'matrix', 'shard')");
  database.Execute("PRAGMA user_version = 4");
}

// The same for version 3, which had no accounts either.
void MakeVersion3(const fs::path& folder) {
  MakeVersion4(folder);
  Database database(ResultStore::FileOf(folder), OpenMode::kReadWrite);
  for (const char* column : {"cpu_seconds",
                             "reference_score",
                             "reference_makespan_ps",
                             "reference_seconds",
                             "reference_cpu_seconds"}) {
    database.Execute(std::string("ALTER TABLE runs DROP COLUMN ") + column);
  }
  database.Execute("PRAGMA user_version = 3");
}

// The same for version 2, which had no graphs and machines either.
void MakeVersion2(const fs::path& folder) {
  MakeVersion3(folder);
  Database database(ResultStore::FileOf(folder), OpenMode::kReadWrite);
  database.Execute("DROP TABLE inputs");
  database.Execute("PRAGMA user_version = 2");
}

// The same for version 1, which had no training curves either.
void MakeVersion1(const fs::path& folder) {
  MakeVersion2(folder);
  Database database(ResultStore::FileOf(folder), OpenMode::kReadWrite);
  database.Execute("DROP TABLE training");
  database.Execute("PRAGMA user_version = 1");
}

TEST(OlderStoresTest, AStoreFromBeforeTrainingCurvesIsReadAsItIs) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {}).Add(Record(0));
  MakeVersion1(folder.path());
  ResultStore store = ResultStore::OpenToRead(folder.path());
  ASSERT_EQ(store.Runs().size(), 1U);
  EXPECT_EQ(store.HistoryOf(store.Runs()[0].id), Record(0).history);
  EXPECT_TRUE(store.TrainingOf(store.Runs()[0].id).empty());
}

TEST(OlderStoresTest, ResumingAStoreFromBeforeTrainingCurvesAddsThem) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {}).Add(Record(0));
  MakeVersion1(folder.path());
  ResultStore::Resume(folder.path(), {}).Add(Record(1));
  ResultStore store = ResultStore::OpenToRead(folder.path());
  ASSERT_EQ(store.Runs().size(), 2U);
  EXPECT_TRUE(store.TrainingOf(store.Runs()[0].id).empty());
  EXPECT_EQ(store.TrainingOf(store.Runs()[1].id), Record(1).training);
}

TEST(OlderStoresTest, AStoreFromBeforeInputsHasNoneUntilItIsResumed) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {}).Add(Record(0));
  MakeVersion2(folder.path());
  {
    ResultStore old = ResultStore::OpenToRead(folder.path());
    EXPECT_EQ(old.Runs().size(), 1U);
    EXPECT_EQ(old.TrainingOf(old.Runs()[0].id), Record(0).training);
    EXPECT_FALSE(old.HasInput("d"));
    EXPECT_EQ(old.InputOf("d", 1), std::nullopt);
  }
  ResultStore store = ResultStore::Resume(folder.path(), {});
  store.AddInput("d", "machine", "x");
  EXPECT_EQ(store.InputOf("d", 1), "x");
  EXPECT_EQ(store.Runs().size(), 1U);
}

TEST(OlderStoresTest, AStoreFromBeforeStartsIsReadAsItIsAndResumed) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {}).Add(Record(0));
  MakeVersion5(folder.path());
  EXPECT_EQ(ResultStore::OpenToRead(folder.path()).Runs().at(0).record.start, "");
  RunRecord run = Record(1);
  run.start = "random";
  ResultStore::Resume(folder.path(), {}).Add(run);
  ResultStore store = ResultStore::OpenToRead(folder.path());
  EXPECT_EQ(store.Runs().at(0).record.start, "");
  EXPECT_EQ(store.Runs().at(1).record.start, "random");
}

// Agents and options of version 6 had other names: `heft` was not the published one.
TEST(OlderStoresTest, AStoreFromBeforeNewNamesIsReadAndResumedByThem) {
  const TemporaryFolder folder;
  RunRecord run = Record(0);
  run.cell.agent = "heft";
  run.agent_name = "heft";
  run.params = R"({"means":"both"})";
  run.reproduce = "opyard place --graph g --agent heft --param means=both --seed 0";
  {
    ResultStore store = ResultStore::Create(folder.path(), {});
    store.Add(run);
    static_cast<void>(store.Keep(StoredTraining{
        .agent = "mine", .agent_name = "go", .params = R"({"samples":8})", .settings = "{}"}));
  }
  MakeVersion6(folder.path());
  const auto check = [&](ResultStore store) {
    const RunRecord found = store.Runs().at(0).record;
    EXPECT_EQ(found.cell.agent, "heft_aware");
    EXPECT_EQ(found.agent_name, "heft_aware");
    EXPECT_EQ(found.params, run.params);
    EXPECT_EQ(found.reproduce,
              "opyard place --graph g --agent heft_aware --param means=both --seed 0");
    EXPECT_EQ(store.Trainings().at(0).agent, "mine");
    EXPECT_EQ(store.Trainings().at(0).params, R"({"batch_size":8})");
  };
  check(ResultStore::OpenToRead(folder.path()));
  RunRecord published = Record(1);
  published.cell.agent = "heft";
  published.agent_name = "heft";
  ResultStore::Resume(folder.path(), {}).Add(published);
  check(ResultStore::OpenToRead(folder.path()));
  EXPECT_EQ(ResultStore::OpenToRead(folder.path()).Runs().at(1).record.agent_name, "heft");
}

TEST(OlderStoresTest, RunsFromBeforeCostModelsHaveTheDefault) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {}).Add(Record(0));
  MakeVersion6(folder.path());
  EXPECT_EQ(ResultStore::OpenToRead(folder.path()).Runs().at(0).record.cost_model, "roofline");
  RunRecord run = Record(1);
  run.cost_model = "peak_roofline";
  ResultStore::Resume(folder.path(), {}).Add(run);
  ResultStore store = ResultStore::OpenToRead(folder.path());
  EXPECT_EQ(store.Runs().at(0).record.cost_model, "roofline");
  EXPECT_EQ(store.Runs().at(1).record.cost_model, "peak_roofline");
}

TEST(OlderStoresTest, RunsFromBeforeBoundsOfAgentsHaveNone) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {}).Add(Record(0));
  MakeVersion7(folder.path());
  EXPECT_EQ(ResultStore::OpenToRead(folder.path()).Runs().at(0).record.agent_bound, std::nullopt);
  RunRecord run = Record(1);
  run.agent_bound = 0.25;
  ResultStore::Resume(folder.path(), {}).Add(run);
  ResultStore store = ResultStore::OpenToRead(folder.path());
  EXPECT_EQ(store.Runs().at(0).record.agent_bound, std::nullopt);
  EXPECT_EQ(store.Runs().at(1).record.agent_bound, 0.25);
}

TEST(OlderStoresTest, AStoreFromBeforeTrainingsIsReadAsItIs) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {.experiment = "e"}).Add(Record(0));
  MakeVersion4(folder.path());
  ResultStore store = ResultStore::OpenToRead(folder.path());
  ASSERT_EQ(store.Runs().size(), 1U);
  EXPECT_EQ(store.Runs()[0].record.cpu_seconds, Record(0).cpu_seconds);
  EXPECT_EQ(store.Runs()[0].record.training_id, std::nullopt);
  EXPECT_TRUE(store.Trainings().empty());
  EXPECT_TRUE(store.Bounds().empty());
  EXPECT_EQ(store.Info().experiment, "e");
  EXPECT_EQ(store.Info().matrix, "");
}

TEST(OlderStoresTest, ResumingAStoreFromBeforeTrainingsAddsThem) {
  const TemporaryFolder folder;
  ResultStore::Create(folder.path(), {}).Add(Record(0));
  MakeVersion4(folder.path());
  {
    ResultStore store = ResultStore::Resume(folder.path(), {});
    RunRecord run = Record(1);
    run.training_id = store.Keep(StoredTraining{.agent = "a[x=1]"});
    store.Keep(std::vector{StoredBound{"g", "h", "lower_bound", SimTime{3}, "x"}});
    store.Add(run);
  }
  ResultStore store = ResultStore::OpenToRead(folder.path());
  ASSERT_EQ(store.Runs().size(), 2U);
  EXPECT_EQ(store.Runs()[0].record.training_id, std::nullopt);
  EXPECT_EQ(store.Runs()[1].record.training_id, store.Trainings().at(0).id);
  EXPECT_EQ(store.Bounds().size(), 1U);
}

// A results folder that opyard 0.1.0 wrote, when version 3 was the newest.
fs::path UnpackVersion3(const TemporaryFolder& folder) {
  std::ifstream in(DataRoot() / "tests/experiments/store/version3.sql");
  const std::string sql((std::istreambuf_iterator<char>(in)), {});
  fs::create_directories(folder.path() / "results");
  Database(folder.path() / "results" / ResultStore::kFileName, OpenMode::kCreate).Execute(sql);
  return folder.path() / "results";
}

TEST(OlderStoresTest, AStoreFromBeforeAccountsIsReadAsItIs) {
  const TemporaryFolder folder;
  const fs::path results = UnpackVersion3(folder);
  ResultStore store = ResultStore::OpenToRead(results);
  const std::vector<StoredRun> runs = store.Runs();
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].record.makespan, SimTime{10'000'000'000});
  EXPECT_EQ(runs[0].record.cpu_seconds, std::nullopt);
  EXPECT_EQ(runs[3].record.agent_name, "reinforce_lstm");
  EXPECT_EQ(runs[3].record.reference, std::nullopt);
  EXPECT_EQ(store.TrainingOf(runs[3].id).size(), 2U);  // 4 evaluations, 2 an update
}

TEST(OlderStoresTest, ResumingAStoreFromBeforeAccountsAddsThem) {
  const TemporaryFolder folder;
  const fs::path results = UnpackVersion3(folder);
  ResultStore::Resume(results, {}).Add(Record(7));
  // Opening compares the text of every table with that of a new file.
  const std::vector<StoredRun> runs = ResultStore::OpenToRead(results).Runs();
  ASSERT_EQ(runs.size(), 5U);
  EXPECT_EQ(runs[3].record.cpu_seconds, std::nullopt);
  EXPECT_EQ(runs[4].record.cpu_seconds, Record(7).cpu_seconds);
  EXPECT_EQ(runs[4].record.reference, Record(7).reference);
}

}  // namespace
}  // namespace opyard::experiments
