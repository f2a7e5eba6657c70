#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/hbmct/balanced_batch.h"
#include "agents/classical/hbmct/hybrid_schedule.h"
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
using testing::RunAgent;
using testing::UnevenOp;

// A task on d0 and d1.
BatchTask Task(std::vector<std::int64_t> ready_us, std::vector<std::int64_t> time_us) {
  BatchTask task{.candidates = {DeviceId(0), DeviceId(1)}, .ready = {}, .time = {}};
  for (std::size_t device = 0; device < 2; ++device) {
    task.ready.push_back(Microseconds(ready_us[device]));
    task.time.push_back(Microseconds(time_us[device]));
  }
  return task;
}

BatchLanes Balance(const std::vector<BatchTask>& tasks,
                   InitialDevice initial = InitialDevice::kExecutionTime) {
  std::optional<GroupMemory> memory;
  const std::vector<SimTime> free(2);
  return BalanceBatch(tasks, free, initial, memory);
}

TEST(HbmctTest, TasksLeaveTheDeviceThatEndsLastWhileBothDevicesEndSoonerThanItDid) {
  // All are faster on d0, which ends at 4 + 3 + 2 = 9. Task 0 leaves for d1: 5 and 5. d0 comes
  // first of the two: task 1 would end on d1 at 12, task 2 at 8; neither is before 5.
  EXPECT_THAT(Balance({Task({0, 0}, {4, 5}), Task({0, 0}, {3, 7}), Task({0, 0}, {2, 3})}),
              ElementsAre(ElementsAre(1, 2), ElementsAre(0)));
}

TEST(HbmctTest, TasksRunByTheirSoonestStartsAndMovedOnesLast) {
  // d0: task 1 until 4, task 2 until 6, task 0 until 10; d1: task 3 from 4 to 7. Task 1, the first
  // by the mean of its starts, would end on d1 at 12, not before 10. Task 2 would at 9, and moves
  // behind task 3. d0 then ends at 8; back there task 2 would end at 10, task 3 at 17.
  EXPECT_THAT(
      Balance(
          {Task({2, 2}, {4, 8}), Task({0, 0}, {4, 5}), Task({0, 2}, {2, 2}), Task({4, 4}, {9, 3})}),
      ElementsAre(ElementsAre(1, 0), ElementsAre(3, 2)));
}

TEST(HbmctTest, TheInitialDeviceIsTheFastestOrTheOneThatEndsFirst) {
  // d0 would run the task from 4 to 7, d1 from 0 to 6. Alone it stays where it is: the other device
  // would not end sooner than 6, or it moves from the one that ends at 7.
  const BatchTask task = Task({4, 0}, {3, 6});
  EXPECT_THAT(Balance({task}, InitialDevice::kFinishTime),
              ElementsAre(ElementsAre(), ElementsAre(0)));
  EXPECT_THAT(Balance({task}, InitialDevice::kExecutionTime),
              ElementsAre(ElementsAre(), ElementsAre(0)));
  // With 2 us on d1 from 5 on the task would end there at 7 + 6 if it came second, at 6 if first.
  // The order is by the soonest start where both begin on d1, by who came where one is moved.
  BatchTask other = Task({0, 1}, {9, 2});
  other.candidates = {DeviceId(1)};
  // On d1: the task until 6, the other until 8; the task would end on d0 at 7: it moves.
  EXPECT_THAT(Balance({task, other}, InitialDevice::kFinishTime),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
  // From d0, which ends at 7, it would end on d1 at 3 + 6: it stays.
  EXPECT_THAT(Balance({task, other}, InitialDevice::kExecutionTime),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(HbmctTest, ABatchEndsBeforeAnOpThatWaitsForOneOfIt) {
  // a → b, a → c, b → d; e waits for c by a control edge.
  std::vector<sim::OpSpec> ops{TimedOp("a", 2),
                               TimedOp("b", 7, {{0, 0}}),
                               TimedOp("c", 5, {{0, 0}}),
                               TimedOp("d", 3, {{1, 0}}),
                               TimedOp("e", 1)};
  ops[4].control_inputs = {2};
  const auto graph = MakeGraph(std::move(ops));
  const std::vector<OpId> order{OpId(0), OpId(2), OpId(1), OpId(4), OpId(3)};
  EXPECT_THAT(
      IndependentBatches(*graph, order),
      ElementsAre(
          ElementsAre(OpId(0)), ElementsAre(OpId(2), OpId(1)), ElementsAre(OpId(4), OpId(3))));
}

TEST(HbmctTest, BatchesFollowAllWorkBeforeThem) {
  // a (2) on d0, then b and c, which read 3000 bytes of it, d0 from 2 on and d1 from 5 on. Both are
  // as fast on either, so both begin on d0: b 2 … 9, c 9 … 14. b would end on d1 at 12 < 14, and d0
  // at 7 without it: it moves. Then d1 ends last, at 12; b would end on d0 at 14.
  const auto problem = MakeProblem(
      MakeGraph(
          {TimedOp("a", 2, {}, {3000}), TimedOp("b", 7, {{0, 0}}), TimedOp("c", 5, {{0, 0}})}),
      MeshMachine(2));
  const std::vector<OpId> order{OpId(0), OpId(1), OpId(2)};
  const ListSchedule schedule =
      BuildHybridSchedule(*problem, TransferTimes(*problem), OpTimes::Alone(*problem), order, {});
  EXPECT_THAT(schedule.device_of_group, ElementsAre(DeviceId(0), DeviceId(1), DeviceId(0)));
  EXPECT_THAT(schedule.start, ElementsAre(Microseconds(0), Microseconds(5), Microseconds(2)));
  EXPECT_EQ(schedule.makespan, Microseconds(12));
  EXPECT_EQ(RunAgent("hbmct", problem, {}).best->evaluation.result.makespan, Microseconds(12));
}

TEST(HbmctTest, AGroupGoesToOneDeviceWithItsFirstBatch) {
  // a and b share a label and a batch: 5 + 5 on d1, while c, 12 on d0, is alone there. d, of the
  // same label, reads c and follows them to d1.
  std::vector<sim::OpSpec> ops{UnevenOp("a", {9, 5}),
                               UnevenOp("b", {9, 5}),
                               UnevenOp("c", {12, 30}),
                               UnevenOp("d", {1, 40}, {{2, 0}})};
  for (const std::size_t op : {0U, 1U, 3U}) {
    ops[op].colocation = "x";
  }
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  const std::vector<OpId> order{OpId(2), OpId(0), OpId(1), OpId(3)};
  const ListSchedule schedule =
      BuildHybridSchedule(*problem, TransferTimes(*problem), OpTimes::Alone(*problem), order, {});
  // Groups: a, b and d; c.
  EXPECT_THAT(schedule.device_of_group, ElementsAre(DeviceId(1), DeviceId(0)));
  // c ends at 12, its bytes are on d1 at 13, and d at 53.
  EXPECT_EQ(schedule.makespan, Microseconds(53));
}

}  // namespace
}  // namespace opyard::agents
