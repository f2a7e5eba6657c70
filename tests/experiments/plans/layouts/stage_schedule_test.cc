#include "experiments/plans/layouts/stage_schedule.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/plans/pipeline_plan.h"
#include "experiments/plans/pipeline_schedule.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/error.h"
#include "tests/experiments/plans/layouts/layout_case.h"
#include "tests/support/pipeline_schedules.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LayoutCase;

PipelineShape Shape(std::size_t ranks, std::size_t chunks, std::int64_t microbatches) {
  PipelineShape shape{.num_ranks = ranks, .num_microbatches = microbatches};
  for (std::size_t s = 0; s < ranks * chunks; ++s) {
    shape.rank_of_stage.push_back(s % ranks);
  }
  return shape;
}

TEST(StageScheduleTest, SchedulesAreThoseOfTheLiterature) {
  EXPECT_EQ(GPipeText(Shape(2, 1, 3)), "0F0,0F1,0F2,0B0,0B1,0B2\n1F0,1F1,1F2,1B0,1B1,1B2\n");
  EXPECT_EQ(OneForwardOneBackwardText(Shape(3, 1, 5)),
            opyard::testing::OneForwardOneBackward(3, 5));
  EXPECT_EQ(OneForwardOneBackwardText(Shape(2, 1, 1)), "0F0,0B0\n1F0,1B0\n");
  EXPECT_EQ(OneForwardOneBackwardText(Shape(2, 2, 4)), opyard::testing::Interleaved(2, 4, 2));
  EXPECT_EQ(OneForwardOneBackwardText(Shape(4, 3, 8)), opyard::testing::Interleaved(4, 8, 3));
}

TEST(StageScheduleTest, InferenceHasForwardPassesAlone) {
  PipelineShape shape = Shape(2, 1, 2);
  shape.has_backward = false;
  EXPECT_EQ(OneForwardOneBackwardText(shape), "0F0,0F1\n1F0,1F1\n");
}

TEST(StageScheduleTest, InterleavedRanksDivideTheMicrobatches) {
  EXPECT_THROW((void)OneForwardOneBackwardText(Shape(2, 2, 3)), InputError);
  PipelineShape back_and_forth = Shape(2, 2, 4);
  back_and_forth.rank_of_stage = {0, 1, 1, 0};
  EXPECT_THROW((void)OneForwardOneBackwardText(back_and_forth), InputError);
}

// A step of four micro-batches over two stages, and the plans of schedules of it.
class ScheduleOfPlanTest : public ::testing::Test {
 protected:
  ScheduleOfPlanTest()
      : network_(graphs::RepeatMicrobatches(
            opyard::testing::MakeBlockNetwork({.num_blocks = 2}), 4, "blocks")) {
    first_ = network_.ProgramOn({{"", 1}, {"embed", 0}, {"layers.0", 0}});
    for (std::size_t i = 0; i < network_.graph().num_ops(); ++i) {
      if (network_.roles()[i] == OpRole::kOutside) {
        first_.placement[i] = DeviceId(0);
      }
    }
  }

  // The plan of `schedule`, by the stages of the placement.
  [[nodiscard]] sim::Plan PlanOf(const std::string& schedule) const {
    return network_.With(first_, [&](const LayoutInput& input) {
      std::vector<Inexpressible> reasons;
      const Stages stages = FindStages(input, StageForm::kUnits, "it", reasons).value();
      return PlanOfPipeline(ReadPipelineSchedule(schedule, "s.csv"),
                            network_.graph(),
                            UnitsOf(network_.graph(), stages.StageOfOps(), stages.stages.size()),
                            network_.problem().hardware(),
                            stages.ranks,
                            {.schedule = "s.csv", .graph = "blocks"});
    });
  }

  [[nodiscard]] std::string ScheduleOf(const sim::Plan& plan) const {
    return network_.TextOf(plan, "torch-pipelining", {}, "schedule.csv");
  }

  LayoutCase network_;
  sim::Plan first_;
};

TEST_F(ScheduleOfPlanTest, TheScheduleOfAPlanIsTheOneThatItWasMadeFrom) {
  for (const std::string& schedule :
       {opyard::testing::OneForwardOneBackward(2, 4), opyard::testing::GPipe(2, 4)}) {
    EXPECT_EQ(ScheduleOf(PlanOf(schedule)), schedule);
  }
}

TEST_F(ScheduleOfPlanTest, GradientsOfWeightsThatWaitAreActionsOfTheirOwn) {
  const std::string schedule =
      "0F0,0F1,0F2,0F3,0B0,0B1,0B2,0B3\n"
      "1F0,1I0,1F1,1I1,1W0,1F2,1I2,1W1,1F3,1I3,1W2,1W3\n";
  EXPECT_EQ(ScheduleOf(PlanOf(schedule)), schedule);
}

TEST_F(ScheduleOfPlanTest, TheExportedStepTakesAsLongAsThePlan) {
  const sim::Plan plan = PlanOf(opyard::testing::OneForwardOneBackward(2, 4));
  const LayoutExport result = network_.Export(plan, "torch-pipelining");
  EXPECT_THAT(result.inexpressible, IsEmpty());
  EXPECT_EQ(result.run.result.makespan, result.run_as_exported.result.makespan);
}

TEST_F(ScheduleOfPlanTest, PassesThatAreMixedAreNamed) {
  sim::Plan plan = PlanOf(opyard::testing::GPipe(2, 4));
  // The last op of 0F0 goes behind the first of 0F1.
  sim::Stream& stream = plan.order[0].front();
  const auto at = [&](const std::string& name) {
    return std::ranges::find_if(stream,
                                [&](OpId op) { return network_.graph().op(op).name == name; });
  };
  std::rotate(at("layers.0/add@mb0"), at("layers.0/add@mb0") + 1, at("embed/mm@mb1") + 1);
  const LayoutExport result = network_.Export(plan, "torch-pipelining");
  ASSERT_EQ(result.inexpressible.size(), 1U);
  EXPECT_EQ(result.inexpressible[0].what, "order of ops");
  EXPECT_THAT(result.inexpressible[0].why, HasSubstr("pass 0F0 on d0 goes on behind another"));
}

TEST_F(ScheduleOfPlanTest, MegatronTakesOneForwardOneBackwardAlone) {
  EXPECT_THAT(network_.Export(PlanOf(opyard::testing::OneForwardOneBackward(2, 4)), "megatron")
                  .inexpressible,
              IsEmpty());
  const LayoutExport gpipe =
      network_.Export(PlanOf(opyard::testing::GPipe(2, 4)), "megatron", {.nearest = true});
  ASSERT_EQ(gpipe.inexpressible.size(), 1U);
  EXPECT_EQ(gpipe.inexpressible[0].what, "order of micro-batches");
  EXPECT_EQ(gpipe.run_as_exported.result.makespan,
            network_.Export(PlanOf(opyard::testing::OneForwardOneBackward(2, 4)), "megatron")
                .run.result.makespan);
}

TEST(StageScheduleTest, AStepIsRepeatedInMicrobatches) {
  const LayoutCase network({.num_blocks = 2});
  const sim::Plan plan = network.ProgramOn({{"", 1}, {"embed", 0}, {"layers.0", 0}});
  const LayoutOptions options{.schedule = StageSchedule::kGPipe, .microbatches = 3};
  EXPECT_EQ(network.TextOf(plan, "torch-pipelining", options, "schedule.csv"),
            opyard::testing::GPipe(2, 3));
  const LayoutExport result = network.Export(plan, "torch-pipelining", options);
  EXPECT_EQ(result.run_as_exported.result.outcome, sim::Outcome::kCompleted);
  EXPECT_GT(result.run_problem->graph().num_ops(), network.graph().num_ops());
}

TEST(StageScheduleTest, TargetsWithoutSchedulesTakeNone) {
  const LayoutCase network({.num_blocks = 2});
  const sim::Plan plan = network.ProgramOn({{"", 0}});
  EXPECT_THROW((void)network.Export(plan, "accelerate", {.schedule = StageSchedule::kGPipe}),
               InputError);
  EXPECT_THROW((void)network.Export(plan, "vllm", {.microbatches = 2}), InputError);
}

}  // namespace
}  // namespace opyard::experiments
