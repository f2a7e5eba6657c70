// Hardships of `opyard run`: it is killed, the disk is full, the folder is read-only.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/cli/run.h"
#include "experiments/store/result_store.h"
#include "sim/base/error.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

// 30 cells of random and one of single_device.
constexpr std::size_t kNumCells = 31;

std::vector<std::string> ManySeeds() {
  std::string seeds = "seeds=[0";
  for (int seed = 1; seed < 30; ++seed) {
    seeds += ", " + std::to_string(seed);
  }
  return {"--resume", "--set", seeds + "]"};
}

// Runs `work` in a child process, whose exit status it gives, and waits for it or, after `wait`,
// kills it. How it ended, as waitpid has it.
int InChild(const std::function<int()>& work, std::optional<std::chrono::microseconds> wait) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(work());
  }
  if (wait.has_value()) {
    std::this_thread::sleep_for(*wait);
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

std::map<CellKey, std::int64_t> MakespansOf(const std::string& results) {
  std::map<CellKey, std::int64_t> all;
  for (const StoredRun& run : ResultStore::OpenToRead(results).Runs()) {
    EXPECT_TRUE(all.emplace(run.record.cell, run.record.makespan->picoseconds).second)
        << "a cell is there twice";
  }
  return all;
}

TEST(KilledRunTest, KilledTwentyTimesAtRandomMomentsEveryCellIsThereOnce) {
  const Workplace undisturbed;
  ASSERT_EQ(undisturbed.RunExperiment(ManySeeds()).status, 0);
  const auto expected = MakespansOf(undisturbed.Path("results"));
  ASSERT_EQ(expected.size(), kNumCells);

  const Workplace place;
  std::mt19937 random(5);
  std::uniform_int_distribution<int> moment(500, 25'000);  // microseconds after the fork
  const auto run = [&] { return place.RunExperiment(ManySeeds()).status; };
  int num_killed = 0;
  for (int i = 0; i < 20; ++i) {
    num_killed += WIFSIGNALED(InChild(run, std::chrono::microseconds(moment(random)))) ? 1 : 0;
  }
  EXPECT_GT(num_killed, 0);
  const Ended last = place.RunExperiment(ManySeeds());
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(MakespansOf(place.Path("results")), expected);
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).out,
            "31 of 31 stored plans agree to the picosecond\n");
}

TEST(KilledMergeTest, KilledAtRandomMomentsTheSameMergeFinishesIt) {
  const Workplace place;
  for (const char* piece : {"1/2", "2/2"}) {
    std::vector<std::string> args = ManySeeds();
    args.insert(args.begin(),
                {"run",
                 place.Path("experiment.yaml"),
                 "--quiet",
                 "--shard",
                 piece,
                 "--out",
                 place.Path(std::string("piece") + piece[0])});
    ASSERT_EQ(RunCommand(args).status, 0);
  }
  const auto merge = [&] {
    return RunCommand({"results",
                       "merge",
                       place.Path("piece1"),
                       place.Path("piece2"),
                       "--out",
                       place.Path("joined")})
        .status;
  };
  std::mt19937 random(7);
  std::uniform_int_distribution<int> moment(500, 15'000);
  for (int i = 0; i < 5; ++i) {
    InChild(merge, std::chrono::microseconds(moment(random)));
  }
  EXPECT_EQ(merge(), 0);
  EXPECT_EQ(MakespansOf(place.Path("joined")).size(), kNumCells);
  EXPECT_EQ(RunCommand({"validate", place.Path("joined")}).status, 0);
}

// The status of `opyard run` and what it says, in a child process that may write files of `bytes`
// at most: the disk is full then.
struct LimitedRun {
  int status = 0;
  std::string err;
};

LimitedRun RunWithLimit(const Workplace& place, rlim_t bytes) {
  const int ended = InChild(
      [&] {
        signal(SIGXFSZ, SIG_IGN);  // writing fails instead
        const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        const Ended run = place.RunExperiment(ManySeeds());
        const rlimit none{.rlim_cur = bytes, .rlim_max = bytes};
        setrlimit(RLIMIT_FSIZE, &none);
        place.Write("err.txt", run.err.substr(0, static_cast<std::size_t>(bytes)));
        return run.status;
      },
      std::nullopt);
  EXPECT_TRUE(WIFEXITED(ended));
  std::ifstream in(place.Path("err.txt"));
  return {.status = WEXITSTATUS(ended), .err = {(std::istreambuf_iterator<char>(in)), {}}};
}

TEST(FullDiskTest, OneLineSaysSoAndNothingThatWasWrittenIsLost) {
  const Workplace place;
  // With a store of some runs; the file, and its journal, may not grow by much more.
  ASSERT_EQ(place.RunExperiment({"--set", "seeds=[0]"}).status, 0);
  const std::uintmax_t size = std::filesystem::file_size(place.Path("results/results.sqlite"));
  const auto before = MakespansOf(place.Path("results"));
  const LimitedRun ended = RunWithLimit(place, static_cast<rlim_t>(size + 16'384));
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("results.sqlite: "));
  const auto after = MakespansOf(place.Path("results"));
  EXPECT_LT(after.size(), kNumCells);
  for (const auto& [cell, makespan] : before) {
    EXPECT_EQ(after.at(cell), makespan);
  }
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).status, 0);
  EXPECT_EQ(place.RunExperiment(ManySeeds()).status, 0);  // once there is room again
  EXPECT_EQ(MakespansOf(place.Path("results")).size(), kNumCells);
}

// Runs `work` as a user who has no rights here, which root has everywhere.
int AsNobody(const std::function<int()>& work) {
  const int ended = InChild(
      [&] {
        constexpr uid_t kNobody = 65'534;
        if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
          return 99;
        }
        return work();
      },
      std::nullopt);
  EXPECT_TRUE(WIFEXITED(ended));
  return WEXITSTATUS(ended);
}

TEST(ReadOnlyFolderTest, OneLineSaysSoAndTheResultsStayReadable) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "seeds=[0]"}).status, 0);
  const std::filesystem::path root = std::filesystem::path(place.Path("results")).parent_path();
  ASSERT_EQ(chmod(root.c_str(), 0755), 0);
  ASSERT_EQ(chmod(place.Path("results").c_str(), 0555), 0);
  ASSERT_EQ(chmod(place.Path("results/results.sqlite").c_str(), 0444), 0);
  const auto one_line = [&](const std::vector<std::string>& args) {
    const Ended ended = RunCommand(args);
    const bool is_one = std::count(ended.err.begin(), ended.err.end(), '\n') == 1;
    return ended.status == 2 && is_one ? 0 : 1;
  };
  const std::string experiment = place.Path("experiment.yaml");
  EXPECT_EQ(
      AsNobody([&] {
        return one_line({"run", experiment, "--quiet", "--out", place.Path("results"), "--resume"});
      }),
      0);
  EXPECT_EQ(AsNobody([&] {
              return one_line({"run", experiment, "--quiet", "--out", place.Path("new/results")});
            }),
            0);
  EXPECT_EQ(AsNobody([&] { return RunCommand({"validate", place.Path("results")}).status; }), 0);
  EXPECT_EQ(AsNobody([&] {
              return RunCommand({"results", "show", place.Path("results")}).status;
            }),
            0);
  ASSERT_EQ(chmod(place.Path("results").c_str(), 0755), 0);
  EXPECT_EQ(MakespansOf(place.Path("results")).size(), 2U);
}

}  // namespace
}  // namespace opyard::experiments
