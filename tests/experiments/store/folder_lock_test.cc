#include "experiments/store/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using opyard::testing::TemporaryFolder;
using ::testing::HasSubstr;

std::string ErrorOf(const fs::path& folder) {
  try {
    const FolderLock lock(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(locked)";
}

// A process that holds the lock until it is killed.
pid_t StartHolder(const fs::path& folder) {
  int is_locked[2] = {};
  EXPECT_EQ(pipe(is_locked), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder);
    EXPECT_EQ(write(is_locked[1], "x", 1), 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  EXPECT_EQ(read(is_locked[0], &byte, 1), 1);
  close(is_locked[0]);
  close(is_locked[1]);
  return child;
}

TEST(FolderLockTest, ASecondProcessLearnsAtOnceWhoWritesAndAKilledOneLeavesNoLock) {
  const TemporaryFolder folder;
  const fs::path results = folder.path() / "results";
  const pid_t holder = StartHolder(results);
  EXPECT_EQ(ErrorOf(results),
            results.string() + ": another opyard (process " + std::to_string(holder) +
                ") is writing here; wait for it to end, or give another --out");
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_EQ(ErrorOf(results), "(locked)");
}

TEST(FolderLockTest, FoldersOfOneParentAreLockedEachForItself) {
  const TemporaryFolder folder;
  const FolderLock one(folder.path() / "a" / "one");
  EXPECT_EQ(ErrorOf(folder.path() / "a" / "two"), "(locked)");
  EXPECT_THAT(ErrorOf(folder.path() / "a" / "one"), HasSubstr("another opyard"));
}

TEST(FolderLockTest, FoldersThatItMadeForNothingGoAndAllOthersStay) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "old");
  EXPECT_EQ(ErrorOf(folder.path() / "old"), "(locked)");
  EXPECT_EQ(ErrorOf(folder.path() / "new" / "deep/"), "(locked)");
  EXPECT_TRUE(fs::exists(folder.path() / "old"));
  EXPECT_FALSE(fs::exists(folder.path() / "new"));
  {
    const FolderLock lock(folder.path() / "kept" / "deep");
    folder.Write("kept/deep/results.sqlite", "");
  }
  EXPECT_TRUE(fs::exists(folder.path() / "kept" / "deep" / "results.sqlite"));
}

TEST(FolderLockTest, AFileInPlaceOfTheFolderIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(ErrorOf(folder.Write("file", "")), HasSubstr("cannot make this folder"));
}

}  // namespace
}  // namespace opyard::experiments
