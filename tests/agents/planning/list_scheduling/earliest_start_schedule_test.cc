#include "agents/planning/list_scheduling/earliest_start_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::BusMachine;
using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;

EarliestStartSchedule Schedule(const std::shared_ptr<const env::Problem>& problem,
                               const EarliestStartOptions& options) {
  return BuildEarliestStartSchedule(*problem, TransferTimes(*problem), options);
}

std::vector<std::size_t> DevicesOf(const EarliestStartSchedule& schedule) {
  std::vector<std::size_t> devices;
  for (const DeviceId device : schedule.device_of_group) {
    devices.push_back(device.index());
  }
  return devices;
}

// a makes 3000 bytes for c and 4000 for b, which comes after c.
std::shared_ptr<const env::Problem> Fork() {
  return MakeProblem(MakeGraph({TimedOp("a", 2, {}, {3000, 4000}),
                                TimedOp("c", 5, {{0, 0}}),
                                TimedOp("b", 7, {{0, 1}})}),
                     MeshMachine(2));
}

TEST(EarliestStartScheduleTest, NoOpStartsBeforeItsRelease) {
  // x takes no time and goes where y is: y 4–7, although z leaves d1 idle from 2 on.
  std::vector<sim::OpSpec> ops = {
      TimedOp("x", 0), TimedOp("y", 3, {{0, 0}}), TimedOp("z", 2), TimedOp("w", 1)};
  ops[0].release = Microseconds(4);
  ops[3].release = Microseconds(9);
  EXPECT_EQ(Schedule(MakeProblem(MakeGraph(ops), MeshMachine(2)), {}).makespan, Microseconds(10));
  ops[3].release = Microseconds(1);
  EXPECT_EQ(Schedule(MakeProblem(MakeGraph(ops), MeshMachine(2)), {}).makespan, Microseconds(7));
}

TEST(EarliestStartScheduleTest, ADeviceIsKeptForTheFavouriteOfWhatItRan) {
  // Without favourites c takes d0 at 2, and b starts on d1 at 2 + 4: 13. Kept for b, d0 would have
  // c from 2 + 3 on, when d1 could have it, too: b until 9, c on d1 from 5 to 10.
  EXPECT_EQ(Schedule(Fork(), {}).makespan, Microseconds(13));
  const EarliestStartSchedule schedule =
      Schedule(Fork(), {.favourite_child = {OpId(2), std::nullopt, std::nullopt}});
  EXPECT_THAT(DevicesOf(schedule), ElementsAre(0, 1, 0));
  EXPECT_EQ(schedule.makespan, Microseconds(10));
}

TEST(EarliestStartScheduleTest, AnOpThatCouldStartAnywhereComesBeforeTheFavourite) {
  // Ops a and k take d0 and d1; d0 is kept for b, which waits for k until 9. Op u reads nothing and
  // takes d0 at 2. Op z reads 4000 bytes of a: d0 has them at 2, but all devices only at 6.
  const auto order_with = [](sim::OpSpec other) {
    const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2, {}, {1000, 4000}),
                                                TimedOp("k", 9, {}, {1000}),
                                                std::move(other),
                                                TimedOp("b", 3, {{0, 0}, {1, 0}})}),
                                     MeshMachine(2));
    return Schedule(problem,
                    {.favourite_child = {OpId(3), std::nullopt, std::nullopt, std::nullopt}});
  };
  // u 2–13 on d0, b from 9 on d1.
  EXPECT_EQ(order_with(TimedOp("u", 11)).makespan, Microseconds(13));
  // z 6–17 on d0, b from 9 on d1.
  EXPECT_EQ(order_with(TimedOp("z", 11, {{0, 1}})).makespan, Microseconds(17));
}

TEST(EarliestStartScheduleTest, ADeviceIsFreeAgainOnceTheFavouriteRanElsewhere) {
  // c's group, which b shares, is on d1 from the start of c: what d0 would be kept for cannot come.
  // z starts there at 2, not at 2 + 4.
  std::vector<sim::OpSpec> ops{TimedOp("a", 2, {}, {1000, 4000}),
                               TimedOp("c", 9, {}, {1000}),
                               TimedOp("b", 3, {{0, 0}, {1, 0}}),
                               TimedOp("z", 3, {{0, 1}})};
  ops[1].colocation = "x";
  ops[2].colocation = "x";
  // a 0–2 and z 2–5 on d0; c 0–9 and b 9–12 on d1.
  const EarliestStartSchedule schedule =
      Schedule(MakeProblem(MakeGraph(ops), MeshMachine(2)),
               {.favourite_child = {OpId(2), std::nullopt, std::nullopt, std::nullopt}});
  EXPECT_THAT(schedule.order, ElementsAre(OpId(0), OpId(1), OpId(3), OpId(2)));
  EXPECT_EQ(schedule.makespan, Microseconds(12));
}

TEST(EarliestStartScheduleTest, BookedTransfersWaitForEachOther) {
  // a and b occupy d0 and d1 until 2. c reads both, 9 kB each over one bus: on d2 the first
  // transfer arrives at 11, alone the second one, too; booked it arrives at 20.
  std::vector<sim::OpSpec> ops{
      TimedOp("a", 2, {}, {9000}), TimedOp("b", 2, {}, {9000}), TimedOp("c", 5, {{0, 0}, {1, 0}})};
  ops[2].device_kinds = sim::DeviceKindSet::None();
  ops[2].device_kinds.Insert(sim::DeviceKind::kCpu);
  sim::HardwareProfile machine = BusMachine(3);
  machine.devices.back().kind = sim::DeviceKind::kCpu;
  const auto problem = MakeProblem(MakeGraph(ops), std::move(machine));
  EXPECT_EQ(Schedule(problem, {}).makespan, Microseconds(16));
  EXPECT_EQ(Schedule(problem, {.transfers = TransferRule::kBooked}).makespan, Microseconds(25));
}

TEST(EarliestStartScheduleTest, TakesOnlyTheDevicesThatItIsGiven) {
  const auto problem =
      MakeProblem(MakeGraph({TimedOp("a", 5), TimedOp("b", 5), TimedOp("c", 5)}), MeshMachine(3));
  EXPECT_THAT(DevicesOf(Schedule(problem, {.devices = {DeviceId(0), DeviceId(2)}})),
              ElementsAre(0, 2, 0));
}

}  // namespace
}  // namespace opyard::agents
