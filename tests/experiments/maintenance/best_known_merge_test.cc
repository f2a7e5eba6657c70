#include "experiments/maintenance/best_known_merge.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "experiments/statistics/best_known.h"
#include "experiments/store/folder_lock.h"
#include "sim/base/error.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Workplace;

BestKnownMerge Merge(const Workplace& place, const InterruptFlag& interrupt) {
  return MergeBestKnown(
      {place.Path("results")}, place.Path("best"), agents::ClassicalAgents(), interrupt);
}

TEST(BestKnownMergeTest, CountsRunsAndProblems) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const BestKnownMerge first = Merge(place, {});
  EXPECT_EQ(first.num_runs, 3U);  // random with two seeds, single_device with one
  EXPECT_EQ(first.num_new, 1U);
  EXPECT_EQ(first.num_better, 0U);
  EXPECT_EQ(first.num_kept, 0U);
  const BestKnownMerge again = Merge(place, {});
  EXPECT_EQ(again.num_new, 0U);
  EXPECT_EQ(again.num_better, 0U);
  EXPECT_EQ(again.num_kept, 1U);
  EXPECT_EQ(ReadBestKnown(place.Path("best/best_known.csv")).size(), 1U);
}

TEST(BestKnownMergeTest, StopsWhenInterruptedAndKeepsWhatIsThere) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  InterruptFlag interrupt;
  interrupt.Raise();
  const BestKnownMerge merge = Merge(place, interrupt);
  EXPECT_TRUE(merge.was_interrupted);
  EXPECT_EQ(merge.num_runs, 0U);
  EXPECT_FALSE(std::filesystem::exists(place.Path("best")));
}

TEST(BestKnownMergeTest, AFolderThatAnotherWritesIntoIsRefused) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const FolderLock lock(place.Path("best"));
  EXPECT_THROW(static_cast<void>(Merge(place, {})), InputError);
}

}  // namespace
}  // namespace opyard::experiments
