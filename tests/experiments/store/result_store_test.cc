#include "experiments/store/result_store.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/store/compression.h"
#include "experiments/store/sha256.h"
#include "experiments/store/sqlite.h"
#include "sim/base/error.h"
#include "tests/experiments/store/records.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using opyard::testing::TemporaryFolder;
using ::testing::HasSubstr;

template <class Call>
std::string ErrorOf(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::string OpenError(const fs::path& path) {
  return ErrorOf([&] { static_cast<void>(ResultStore::OpenToRead(path)); });
}

// Runs `work` in a child process that is then killed like a process without memory: no destructors.
template <class Work>
void RunAndKill(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(ResultStoreTest, GivesBackWhatWasAdded) {
  const TemporaryFolder folder;
  {
    ResultStore store = ResultStore::Create(folder.path(), {"toy", "../configs"});
    store.Add(Record(7));
  }
  ResultStore store = ResultStore::OpenToRead(folder.path());
  const std::vector<StoredRun> runs = store.Runs();
  ASSERT_EQ(runs.size(), 1U);
  const RunRecord expected = Record(7);
  const RunRecord& found = runs[0].record;
  EXPECT_EQ(found.cell, expected.cell);
  EXPECT_EQ(found.makespan, expected.makespan);
  EXPECT_EQ(found.score, expected.score);
  EXPECT_EQ(found.seconds_to_best, expected.seconds_to_best);
  EXPECT_EQ(found.cpu_seconds, expected.cpu_seconds);
  EXPECT_EQ(found.reference, expected.reference);
  EXPECT_EQ(found.params, expected.params);
  EXPECT_EQ(found.reproduce, expected.reproduce);
  EXPECT_EQ(store.PlanOf(runs[0].id), expected.plan);
  EXPECT_EQ(store.HistoryOf(runs[0].id), expected.history);
  EXPECT_EQ(store.TrainingOf(runs[0].id), expected.training);
  EXPECT_EQ(store.Info().experiment_folder, "../configs");
}

TEST(ResultStoreTest, AFailedRunMayHaveNoPlan) {
  const TemporaryFolder folder;
  RunRecord record = Record(0);
  record.status = RunStatus::kFailed;
  record.outcome = "no_plan";
  record.makespan.reset();
  record.score.reset();
  record.seconds_to_best.reset();
  record.reference.reset();
  record.plan.clear();
  record.history.clear();
  ResultStore store = ResultStore::Create(folder.path(), {});
  store.Add(record);
  const StoredRun run = store.Runs().at(0);
  EXPECT_EQ(run.record.status, RunStatus::kFailed);
  EXPECT_EQ(run.record.makespan, std::nullopt);
  EXPECT_EQ(run.record.reference, std::nullopt);
  EXPECT_EQ(store.PlanOf(run.id), "");
}

TEST(ResultStoreTest, ReadingLeavesNothingBehindWhateverTheFolderIsCalled) {
  const TemporaryFolder folder;
  const fs::path odd = folder.path() / "50% of a?b#c";
  ResultStore::Create(odd, {}).Add(Record(0));
  EXPECT_EQ(ResultStore::OpenToRead(odd).Runs().size(), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(odd), fs::directory_iterator()), 1);
}

TEST(ResultStoreTest, ACellIsStoredOnce) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  store.Add(Record(0));
  EXPECT_THAT(ErrorOf([&] { store.Add(Record(0)); }), HasSubstr("UNIQUE"));
  EXPECT_EQ(store.Runs().size(), 1U);
}

TEST(ResultStoreTest, ResumingWhereThereIsNothingOrOnlyABeginningStartsAnew) {
  const TemporaryFolder folder;
  EXPECT_TRUE(ResultStore::Resume(folder.path() / "absent", {}).Runs().empty());
  folder.Write("begun/results.sqlite", "");  // killed before its tables were there
  ResultStore store = ResultStore::Resume(folder.path() / "begun", {});
  store.Add(Record(0));
  EXPECT_EQ(store.Runs().size(), 1U);
}

TEST(ResultStoreTest, ANonEmptyFolderIsRefusedWithAHint) {
  const TemporaryFolder folder;
  folder.Write("notes.txt", "mine");
  EXPECT_THAT(ErrorOf([&] { static_cast<void>(ResultStore::Create(folder.path(), {})); }),
              HasSubstr("--resume"));
}

TEST(ResultStoreTest, KeepsFinishedRunsOfAKilledProcess) {
  const TemporaryFolder folder;
  RunAndKill([&] {
    ResultStore store = ResultStore::Create(folder.path() / "r", {});
    store.Add(Record(0));
    store.Add(Record(1));
    raise(SIGKILL);
  });
  ResultStore store = ResultStore::Resume(folder.path() / "r", {});
  EXPECT_EQ(store.Runs().size(), 2U);
  store.Add(Record(2));
  EXPECT_EQ(store.Runs().size(), 3U);
}

TEST(ResultStoreTest, ARunThatWasKilledHalfWrittenLeavesNothing) {
  const TemporaryFolder folder;
  RunAndKill([&] {
    ResultStore store = ResultStore::Create(folder.path() / "r", {});
    store.Add(Record(0));
    Database database(folder.path() / "r" / ResultStore::kFileName, OpenMode::kReadWrite);
    const Transaction transaction(database);
    database.Execute("UPDATE runs SET seed = 99");
    database.Execute("INSERT INTO history VALUES (5, 5, 1.0, 1.0, 5)");
    raise(SIGKILL);
  });
  ResultStore store = ResultStore::Resume(folder.path() / "r", {});
  ASSERT_EQ(store.Runs().size(), 1U);
  EXPECT_EQ(store.Runs()[0].record.cell.seed, 0);
  EXPECT_TRUE(store.HistoryOf(5).empty());
}

TEST(ResultStoreTest, AnUncommittedTransactionIsRolledBack) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  store.Add(Record(0));
  {
    Database database(folder.path() / ResultStore::kFileName, OpenMode::kReadWrite);
    const Transaction transaction(database);
    database.Execute("DELETE FROM runs");
  }
  EXPECT_EQ(store.Runs().size(), 1U);
}

TEST(ResultStoreTest, AFileThatIsNoDatabaseIsRefused) {
  const TemporaryFolder folder;
  const fs::path file = folder.Write("results.sqlite", std::string(5000, 'x'));
  EXPECT_THAT(OpenError(file), HasSubstr("not a database"));
  EXPECT_THAT(OpenError(folder.path() / "absent"), HasSubstr("no such file"));
}

TEST(ResultStoreTest, APipeIsRefusedInsteadOfWaitedFor) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(OpenError(pipe), HasSubstr("no regular file"));
}

TEST(ResultStoreTest, AnotherKindOfDatabaseIsRefused) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "other.sqlite";
  Database(file, OpenMode::kCreate).Execute("CREATE TABLE runs (id INTEGER)");
  EXPECT_THAT(OpenError(file), HasSubstr("another kind of database"));
}

TEST(ResultStoreTest, AnInputIsGivenBackUpToTheSizeThatIsAskedFor) {
  const TemporaryFolder folder;
  const std::string text(100'000, 'a');
  ResultStore::Create(folder.path(), {}).AddInput("d1", "graph", text);
  ResultStore store = ResultStore::OpenToRead(folder.path());
  EXPECT_TRUE(store.HasInput("d1"));
  EXPECT_FALSE(store.HasInput("d2"));
  EXPECT_EQ(store.InputOf("d1", text.size()), text);
  EXPECT_EQ(store.InputOf("d2", text.size()), std::nullopt);
  EXPECT_THAT(ErrorOf([&] { static_cast<void>(store.InputOf("d1", text.size() - 1)); }),
              HasSubstr("the input d1 cannot be unpacked"));
}

TEST(ResultStoreTest, ARunThatIsMadeAgainHasItsCurveOnce) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  store.Add(Record(0));
  Database(ResultStore::FileOf(folder.path()), OpenMode::kReadWrite).Execute("DELETE FROM runs");
  RunRecord shorter = Record(0);
  shorter.training.resize(3);
  store.Add(shorter);
  EXPECT_EQ(store.TrainingOf(store.Runs().at(0).id), shorter.training);
}

TEST(ResultStoreTest, ANewerSchemaIsRefused) {
  const TemporaryFolder folder;
  static_cast<void>(ResultStore::Create(folder.path(), {}));
  Database(ResultStore::FileOf(folder.path()), OpenMode::kReadWrite)
      .Execute("PRAGMA user_version = 9");
  EXPECT_THAT(OpenError(folder.path()), HasSubstr("schema version 9, expected 1 to 8"));
}

TEST(ResultStoreTest, AForeignViewOrTriggerIsRefused) {
  const TemporaryFolder folder;
  static_cast<void>(ResultStore::Create(folder.path(), {}));
  Database(ResultStore::FileOf(folder.path()), OpenMode::kReadWrite)
      .Execute("CREATE VIEW zoo AS SELECT load_extension('x') FROM runs");
  EXPECT_THAT(OpenError(folder.path()), HasSubstr("its tables are not those of a results file"));
}

TEST(ResultStoreTest, ATruncatedFileGivesAnErrorWhereverItIsCut) {
  const TemporaryFolder folder;
  {
    ResultStore store = ResultStore::Create(folder.path() / "r", {});
    for (std::int64_t seed = 0; seed < 50; ++seed) {
      store.Add(Record(seed));
    }
  }
  std::ifstream in(folder.path() / "r" / "results.sqlite", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t size = 100; size + 100 < whole.size(); size += 3001) {
    const fs::path cut = folder.Write("cut.sqlite", whole.substr(0, size));
    const std::string error = ErrorOf([&] {
      ResultStore store = ResultStore::OpenToRead(cut);
      for (const StoredRun& run : store.Runs()) {
        static_cast<void>(store.PlanOf(run.id));
      }
    });
    EXPECT_NE(error, "(accepted)") << "cut after " << size << " bytes";
  }
}

TEST(ResultStoreTest, FlippedBytesNeverCrash) {
  const TemporaryFolder folder;
  {
    ResultStore store = ResultStore::Create(folder.path() / "r", {});
    store.Add(Record(0));
    store.AddInput("d", "graph", "text");
  }
  std::ifstream in(folder.path() / "r" / "results.sqlite", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    const fs::path file = folder.Write("damaged.sqlite", damaged);
    static_cast<void>(ErrorOf([&] {
      ResultStore store = ResultStore::OpenToRead(file);
      for (const StoredRun& run : store.Runs()) {
        static_cast<void>(store.PlanOf(run.id));
        static_cast<void>(store.HistoryOf(run.id));
        static_cast<void>(store.TrainingOf(run.id));
      }
      static_cast<void>(store.InputOf("d", 1000));
    }));
  }
}

TEST(CompressionTest, RefusesDamageRestAndTooMuch) {
  const std::string text(10'000, 'a');
  const std::string packed = Compress(text);
  EXPECT_EQ(Decompress(packed, text.size()), text);
  EXPECT_EQ(Decompress(packed, text.size() - 1), std::nullopt);
  EXPECT_EQ(Decompress(packed + "x", text.size()), std::nullopt);
  EXPECT_EQ(Decompress(packed.substr(0, packed.size() - 1), text.size()), std::nullopt);
  EXPECT_EQ(Decompress("no zlib", text.size()), std::nullopt);
}

// FIPS 180-4's own examples: one block, none, and two blocks of padding.
TEST(Sha256Test, AgreesWithThePublishedVectors) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace opyard::experiments
