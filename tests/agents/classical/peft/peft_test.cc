#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/peft/optimistic_costs.h"
#include "agents/classical/peft/optimistic_schedule.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/list_scheduling/ready_list_order.h"
#include "tests/agents/classical/paper_example.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::PaperExample;
using testing::RunAgent;
using testing::UnevenOp;

// A separate program of thirty lines of Python computed the table and the schedule of that example.
// It has no tensors, groups or gaps, only lists of busy intervals. The last three ops of the table
// by hand:
//   OCT(t10) = 0 0 0.
//   OCT(t7, p) = min over q of (cost of t10 on q: 21 7 16, + 17 where q is not p): p1: 21, not
//   7 + 17 = 24; p2: 7; p3: 16, not 24.
//   OCT(t8, p), transfer 11: p1: 7 + 11 = 18; p2: 7; p3: 16, not 18.
struct PaperSchedule {
  std::shared_ptr<const env::Problem> problem = PaperExample();
  TransferTimes transfers{*problem};
  OpTimes times = OpTimes::Alone(*problem);
  OptimisticCosts costs{*problem, transfers, times, MainDevices(*problem)};
  std::vector<double> ranks = OptimisticRanks(*problem, costs, MainDevices(*problem));
  std::vector<OpId> order = ReadyListOrder(problem->graph(), ranks);
};

TEST(PeftTest, TheOptimisticCostsOfTheExampleAreThoseWorkedOut) {
  const PaperSchedule example;
  const std::vector<std::vector<double>> expected = {{48, 38, 53},
                                                     {35, 19, 35},
                                                     {28, 22, 27},
                                                     {38, 19, 36},
                                                     {32, 19, 32},
                                                     {23, 18, 30},
                                                     {21, 7, 16},
                                                     {18, 7, 16},
                                                     {20, 7, 16},
                                                     {0, 0, 0}};
  for (std::size_t op = 0; op < 10; ++op) {
    SCOPED_TRACE(op + 1);
    for (std::size_t device = 0; device < 3; ++device) {
      EXPECT_NEAR(example.costs.Of(OpId(op), DeviceId(device)) * 1e6, expected[op][device], 1e-9);
    }
  }
  // Means of the rows: t1 139 / 3.
  EXPECT_NEAR(example.ranks[0] * 1e6, 139.0 / 3.0, 1e-9);
}

TEST(PeftTest, TheListOfTheExampleTakesTheReadyOpWithTheGreatestRank) {
  // Ranks: 46.3, 29.7, 25.7, 31, 27.7, 23.7, 14.7, 13.7, 14.3, 0. After t6, t7, t8 and t9 are
  // ready.
  std::vector<std::size_t> order;
  for (const OpId op : PaperSchedule().order) {
    order.push_back(op.index() + 1);
  }
  EXPECT_THAT(order, ElementsAre(1, 4, 2, 5, 3, 6, 7, 9, 8, 10));
}

TEST(PeftTest, SchedulesTheExampleInEightyFiveUnits) {
  const PaperSchedule example;
  const OptimisticSchedule schedule = BuildOptimisticSchedule(
      *example.problem, example.transfers, example.times, example.costs, example.order, {});
  // t1 ends at 14, 16 and 9; with OCT 62, 54 and 62: p2. And so on; t8 ends at 67, 78 and 81, with
  // OCT 85, 85 and 97: the first.
  std::vector<std::size_t> devices;
  for (const DeviceId device : schedule.device_of_group) {
    devices.push_back(device.index() + 1);
  }
  EXPECT_THAT(devices, ElementsAre(2, 2, 1, 2, 3, 1, 1, 1, 2, 2));
  std::vector<std::int64_t> finish_us;
  for (const SimTime finish : schedule.finish) {
    finish_us.push_back(finish.picoseconds / 1'000'000);
  }
  EXPECT_THAT(finish_us, ElementsAre(16, 43, 39, 24, 37, 52, 59, 67, 62, 85));
}

TEST(PeftTest, AnEdgeInsideAGroupIsNoTransferInTheTableAndKeepsTheDevice) {
  // b takes 9 us on d0 and 2 on d1; a sends it 3000 bytes (3 us). Apart, a on d0 has 2 + 3 before
  // it; in one group 9.
  std::vector<sim::OpSpec> ops{TimedOp("a", 1, {}, {3000}), UnevenOp("b", {9, 2}, {{0, 0}})};
  const auto first_cost = [](const std::shared_ptr<const env::Problem>& problem) {
    const OptimisticCosts costs(
        *problem, TransferTimes(*problem), OpTimes::Alone(*problem), MainDevices(*problem));
    return costs.Of(OpId(std::int32_t{0}), DeviceId(std::int32_t{0}));
  };
  EXPECT_DOUBLE_EQ(first_cost(MakeProblem(MakeGraph(ops), MeshMachine(2))), 5e-6);
  ops[0].colocation = "x";
  ops[1].colocation = "x";
  EXPECT_DOUBLE_EQ(first_cost(MakeProblem(MakeGraph(ops), MeshMachine(2))), 9e-6);
}

TEST(PeftTest, LooksAheadWhereTheEarliestEndMisleads) {
  // a ends first on d0 (2 us, 3 on d1), but b needs d1 (50 us on d0, 5 there) and 9 us for a's
  // bytes. EFT: a on d0, 2 + 9 + 5 = 16; with the table d0 has 2 + 14, d1 3 + 5: 8.
  const auto problem =
      MakeProblem(MakeGraph({UnevenOp("a", {2, 3}, {}, {9000}), UnevenOp("b", {50, 5}, {{0, 0}})}),
                  MeshMachine(2));
  EXPECT_EQ(RunAgent("peft", problem, {}).best->evaluation.result.makespan, Microseconds(8));
}

}  // namespace
}  // namespace opyard::agents
