#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/estimates/ranks.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "tests/agents/classical/paper_example.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::PaperExample;
using testing::RunAgent;
using testing::UnevenOp;

std::vector<DeviceId> AllDevices(const env::Problem& problem) {
  std::vector<DeviceId> all;
  for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
    all.emplace_back(i);
  }
  return all;
}

TEST(HeftTest, RanksOfThePapersExampleAreThosePrinted) {
  const auto problem = PaperExample();
  const TransferTimes transfers(*problem);
  std::vector<double> ranks;
  for (const double rank : UpwardRanks(*problem, transfers, AllDevices(*problem))) {
    ranks.push_back(rank * 1e6);
  }
  // Table 2 of the paper, printed with three digits.
  EXPECT_THAT(ranks,
              ElementsAre(DoubleNear(108.000, 5e-4),
                          DoubleNear(77.000, 5e-4),
                          DoubleNear(80.000, 5e-4),
                          DoubleNear(80.000, 5e-4),
                          DoubleNear(69.000, 5e-4),
                          DoubleNear(63.333, 5e-4),
                          DoubleNear(42.667, 5e-4),
                          DoubleNear(35.667, 5e-4),
                          DoubleNear(44.333, 5e-4),
                          DoubleNear(14.667, 5e-4)));
}

TEST(HeftTest, SchedulesThePapersExampleInEightyUnits) {
  const auto problem = PaperExample();
  const TransferTimes transfers(*problem);
  const auto ranks = UpwardRanks(*problem, transfers, AllDevices(*problem));
  const ListSchedule schedule = BuildListSchedule(*problem, transfers, ranks, {});
  EXPECT_EQ(schedule.makespan, Microseconds(80));
}

TEST(HeftTest, InsertsIntoAnIdleGap) {
  // Keys fall from r to b to c. Op r runs on d1 (2 us; 90 us on d0) and sends 4000 bytes (4 us) to
  // b on d0, so that d0 has a gap before b.
  const auto problem = MakeProblem(MakeGraph({UnevenOp("r", {90, 2}, {}, {4000}),
                                              UnevenOp("b", {3, 90}, {{0, 0}}),
                                              UnevenOp("c", {5, 90})}),
                                   MeshMachine(2));
  const TransferTimes transfers(*problem);
  const std::vector<double> key{3.0, 2.0, 1.0};
  const ListSchedule inserted =
      BuildListSchedule(*problem, transfers, key, {.gaps = GapRule::kInsert});
  // b: 2 + 4 = 6 … 9. The gap 0 … 6 holds c.
  EXPECT_EQ(inserted.start[1], Microseconds(6));
  EXPECT_EQ(inserted.start[2], Microseconds(0));
  EXPECT_EQ(inserted.makespan, Microseconds(9));
  const ListSchedule appended =
      BuildListSchedule(*problem, transfers, key, {.gaps = GapRule::kAppend});
  EXPECT_EQ(appended.start[2], Microseconds(9));
  EXPECT_EQ(appended.makespan, Microseconds(14));
}

TEST(HeftTest, AnEdgeInsideAGroupCostsNoTransferInTheRank) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2, {}, {8000}), TimedOp("b", 3, {{0, 0}})};
  const auto apart = MakeProblem(MakeGraph(ops), MeshMachine(2));
  ops[0].colocation = "x";
  ops[1].colocation = "x";
  const auto together = MakeProblem(MakeGraph(ops), MeshMachine(2));
  // a alone: 2 + 8 + 3 us; in a group with b: 2 + 3 us.
  EXPECT_DOUBLE_EQ(UpwardRanks(*apart, TransferTimes(*apart), AllDevices(*apart))[0], 13e-6);
  EXPECT_DOUBLE_EQ(UpwardRanks(*together, TransferTimes(*together), AllDevices(*together))[0],
                   5e-6);
}

TEST(HeftTest, AControlEdgeCostsTheMeanLatencyInTheRank) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2, {}, {8000}), TimedOp("b", 3)};
  ops[1].control_inputs = {0};
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2, 4));
  // 2 + 4 + 3 us.
  EXPECT_DOUBLE_EQ(UpwardRanks(*problem, TransferTimes(*problem), AllDevices(*problem))[0], 9e-6);
}

TEST(HeftTest, AGroupGoesWhereItsWorkIsDoneAndNotWhereItsVariableCouldBe) {
  // The group is a Variable and a product that takes 2 us on d1 and 9 us on d0. The Variable comes
  // first and is ready at once on both, so that its own earliest finish would say d0.
  std::vector<sim::OpSpec> ops{opyard::testing::VariableOp("weights", 1000),
                               UnevenOp("product", {9, 2}, {{0, 0}})};
  ops[0].colocation = "weights";
  ops[1].colocation = "weights";
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  const TransferTimes transfers(*problem);
  const auto ranks = UpwardRanks(*problem, transfers, AllDevices(*problem));
  const ListSchedule whole =
      BuildListSchedule(*problem, transfers, ranks, {.group_device = GroupDeviceRule::kWholeGroup});
  EXPECT_EQ(whole.device_of_group[0], DeviceId(std::int32_t{1}));
  const ListSchedule first =
      BuildListSchedule(*problem, transfers, ranks, {.group_device = GroupDeviceRule::kFirstOp});
  EXPECT_EQ(first.device_of_group[0], DeviceId(std::int32_t{0}));
}

TEST(HeftTest, SpreadsIndependentWork) {
  const auto problem =
      MakeProblem(MakeGraph({TimedOp("a", 7), TimedOp("b", 5), TimedOp("c", 3), TimedOp("d", 2)}),
                  MeshMachine(2));
  // 7 + 2 and 5 + 3: the best of all placements.
  const testing::Outcome outcome = RunAgent("heft_aware", problem, {});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(9));
  EXPECT_EQ(testing::BestMakespanByBruteForce(problem), Microseconds(9));
}

TEST(HeftTest, KeepsAChainWithDearTransfersTogether) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2, {}, {9000}),
                                              TimedOp("b", 3, {{0, 0}}, {9000}),
                                              TimedOp("c", 5, {{1, 0}})}),
                                   MeshMachine(3));
  const testing::Outcome outcome = RunAgent("heft_aware", problem, {});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(10));
  EXPECT_EQ(outcome.best->evaluation.result.num_transfers, 0);
}

TEST(HeftTest, IsWithinTwiceTheBestPlacementOfSmallGraphs) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.problem->graph().num_ops() > 6) {
      continue;
    }
    SCOPED_TRACE(named.name);
    const testing::Outcome outcome = RunAgent("heft_aware", named.problem, {});
    const SimTime best = testing::BestMakespanByBruteForce(named.problem);
    EXPECT_LE(outcome.best->evaluation.result.makespan.picoseconds, 2 * best.picoseconds);
  }
}

}  // namespace
}  // namespace opyard::agents
