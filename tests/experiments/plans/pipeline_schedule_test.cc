#include "experiments/plans/pipeline_schedule.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> TextsOf(const std::vector<PipelineAction>& actions) {
  std::vector<std::string> texts;
  for (const PipelineAction& action : actions) {
    texts.push_back(action.text);
  }
  return texts;
}

std::string ErrorOf(const std::string& text) {
  try {
    (void)ReadPipelineSchedule(text, "s.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PipelineScheduleTest, ALineIsARankAndItsCellsAreActions) {
  const PipelineSchedule schedule = ReadPipelineSchedule(
      "0F0,,0RECV_B1,(0F1;3B0)OVERLAP_F_B,3F0,\r\n\n1F0, 2UNSHARD ,2F1,2REDUCE_GRAD\n\n", "s.csv");
  ASSERT_EQ(schedule.ranks.size(), 3U);
  EXPECT_THAT(TextsOf(schedule.ranks[0]), ElementsAre("0F0", "0F1", "3B0", "3F0"));
  EXPECT_TRUE(schedule.ranks[1].empty());
  EXPECT_THAT(TextsOf(schedule.ranks[2]), ElementsAre("1F0", "2F1"));
  EXPECT_THAT(schedule.rank_of_stage, ElementsAre(0U, 2U, 2U, 0U));
  EXPECT_EQ(schedule.num_microbatches, 2);
  EXPECT_EQ(schedule.num_actions(), 6U);
  EXPECT_EQ(schedule.num_communications, 3U);
  EXPECT_EQ(schedule.ranks[0][2].line, 1U);  // "3B0", within the fourth cell of the first line
  EXPECT_EQ(schedule.ranks[0][2].cell, 4U);
  EXPECT_EQ(schedule.ranks[2][1].cell, 3U);
}

TEST(PipelineScheduleTest, BIsTheInputGradientWhereItsMicrobatchHasAW) {
  const PipelineSchedule schedule = ReadPipelineSchedule("0B0,0B1,0W1,0I2,0W2,1B1", "s.csv");
  std::vector<ActionKind> kinds;
  for (const PipelineAction& action : schedule.ranks[0]) {
    kinds.push_back(action.kind);
  }
  EXPECT_THAT(kinds,
              ElementsAre(ActionKind::kBackward,
                          ActionKind::kInputGradient,
                          ActionKind::kWeightGradient,
                          ActionKind::kInputGradient,
                          ActionKind::kWeightGradient,
                          ActionKind::kBackward));
}

TEST(PipelineScheduleTest, AllProblemsAreReportedAtOnceWithTheirCells) {
  const std::string error =
      ErrorOf("0F0,0X1,F1,1F,-1F0\n0F0x,(1F0;1F1)OVERLAP,(1F0)OVERLAP_F_B\n65536F0,0F65536");
  for (const char* part : {"s.csv:1: cell 2: found \"0X1\", expected an action such as 2F0",
                           "s.csv:1: cell 3: found \"F1\"",
                           "s.csv:1: cell 4: found \"1F\"",
                           "s.csv:1: cell 5: found \"-1F0\"",
                           "s.csv:2: cell 1: found \"0F0x\"",
                           "s.csv:2: cell 2: found \"(1F0;1F1)OVERLAP\", expected two actions",
                           "s.csv:2: cell 3: found \"(1F0)OVERLAP_F_B\", expected two actions",
                           "s.csv:3: cell 1: found \"65536F0\", expected a stage below 65536",
                           "s.csv:3: cell 2: found \"0F65536\""}) {
    EXPECT_THAT(error, HasSubstr(part));
  }
}

TEST(PipelineScheduleTest, AStageIsOfOneRankAndEachPassStandsThereOnce) {
  EXPECT_THAT(ErrorOf("0F0\n1F0,0B0"),
              HasSubstr("s.csv:2: cell 2: found \"0B0\", expected no action of stage 0, which line "
                        "1 has"));
  EXPECT_THAT(ErrorOf("0F0,0B0,0F0"),
              HasSubstr("s.csv:1: cell 3: found \"0F0\", expected it once: line 1, cell 1 has"));
  // B without W has both gradients.
  EXPECT_THAT(ErrorOf("0F0,0B0,0I0"), HasSubstr("cell 3: found \"0I0\", expected it once"));
  EXPECT_THAT(ErrorOf("0B0,0W0,0I0"), HasSubstr("cell 3: found \"0I0\", expected it once"));
  EXPECT_THAT(ErrorOf("0F0\n2F0"),
              HasSubstr("found stage 2, but no action of stage 1, expected each stage"));
}

TEST(PipelineScheduleTest, AFileWithoutActionsIsRefused) {
  EXPECT_THAT(ErrorOf(" \n\n"), HasSubstr("s.csv: found no action, expected a line of actions"));
  EXPECT_THAT(ErrorOf("0UNSHARD,0SEND_F0"), HasSubstr("s.csv: found no action"));
}

}  // namespace
}  // namespace opyard::experiments
