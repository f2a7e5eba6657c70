#include "agents/planning/estimates/transfer_times.h"

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;

constexpr DeviceId kD0{std::int32_t{0}};
constexpr DeviceId kD1{std::int32_t{1}};
constexpr DeviceId kD2{std::int32_t{2}};

TransferTimes TimesOn(sim::HardwareProfile machine) {
  const auto problem = testing::MakeProblem(MakeGraph({TimedOp("a", 1)}), std::move(machine));
  return TransferTimes(*problem);
}

TEST(TransferTimesTest, ATransferTakesLatencyAndBytesOverBandwidth) {
  const TransferTimes times = TimesOn(MeshMachine(2, 3));
  // 3 us + 5000 bytes / (1000 bytes per us) = 8 us.
  EXPECT_EQ(times.Time(Bytes{5000}, kD0, kD1), Microseconds(8));
  EXPECT_EQ(times.ControlTime(kD0, kD1), Microseconds(3));
}

TEST(TransferTimesTest, NothingTravelsWithinADevice) {
  const TransferTimes times = TimesOn(MeshMachine(2, 3));
  EXPECT_EQ(times.Time(Bytes{5000}, kD1, kD1), SimTime{});
  EXPECT_EQ(times.ControlTime(kD1, kD1), SimTime{});
}

TEST(TransferTimesTest, MeansAreOverTheOrderedPairsOfDistinctDevices) {
  sim::HardwareProfile machine = MeshMachine(3);
  // d0-d1, d0-d2, d1-d2 with 2, 3 and 7 us: the mean of each direction's twice is 4 us.
  machine.links[0].latency = Microseconds(2);
  machine.links[1].latency = Microseconds(3);
  machine.links[2].latency = Microseconds(7);
  const TransferTimes times = TimesOn(machine);
  const std::vector<DeviceId> all{kD0, kD1, kD2};
  EXPECT_DOUBLE_EQ(times.Mean(all).latency_s, 4e-6);
  EXPECT_DOUBLE_EQ(times.Mean(all).seconds_per_byte, 1e-9);
  const std::vector<DeviceId> pair{kD0, kD2};
  EXPECT_DOUBLE_EQ(times.Mean(pair).latency_s, 3e-6);
}

TEST(TransferTimesTest, OneDeviceHasNoTransfers) {
  const std::vector<DeviceId> one{kD0};
  EXPECT_EQ(TimesOn(MeshMachine(1)).Mean(one).latency_s, 0.0);
}

TEST(TransferTimesTest, APairWithoutRouteIsFarApart) {
  sim::HardwareProfile machine = MeshMachine(3);
  machine.links.pop_back();  // d1-d2: devices do not forward
  const TransferTimes times = TimesOn(machine);
  EXPECT_EQ(times.Time(Bytes{0}, kD1, kD2), TransferTimes::kNoRoute);
  EXPECT_EQ(times.ControlTime(kD2, kD1), TransferTimes::kNoRoute);
}

}  // namespace
}  // namespace opyard::agents
