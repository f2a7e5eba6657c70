#include "agents/planning/estimates/booked_channels.h"

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
constexpr Bytes kFourUs{4000};  // links move 1000 bytes per us

// Three devices, a link between each two; an op that makes two tensors.
class BookedChannelsTest : public ::testing::Test {
 protected:
  std::shared_ptr<const env::Problem> problem_ =
      testing::MakeProblem(MakeGraph({TimedOp("a", 1, {}, {4000, 4000})}), MeshMachine(3));
  TransferTimes transfers_{*problem_};
  BookedChannels channels_{*problem_, transfers_};

  [[nodiscard]] SimTime Arrival(std::size_t tensor, std::int64_t ready_us, DeviceId dst) const {
    return channels_.Arrival(TensorId(tensor), kFourUs, Microseconds(ready_us), kD0, dst);
  }
};

TEST_F(BookedChannelsTest, ATransferWaitsForTheOneBeforeItOnItsLink) {
  channels_.Book(TensorId(std::size_t{0}), kFourUs, Microseconds(2), kD0, kD1);
  // The link is busy from 2 to 6: another tensor that is ready at 3 travels from 6 to 10.
  EXPECT_EQ(Arrival(1, 3, kD1), Microseconds(10));
}

TEST_F(BookedChannelsTest, AGapBeforeABookingIsUsed) {
  channels_.Book(TensorId(std::size_t{0}), kFourUs, Microseconds(5), kD0, kD1);
  EXPECT_EQ(Arrival(1, 1, kD1), Microseconds(5));   // 1 … 5
  EXPECT_EQ(Arrival(1, 2, kD1), Microseconds(13));  // too late for the gap: 9 … 13
}

TEST_F(BookedChannelsTest, ATensorTravelsToADeviceOnce) {
  channels_.Book(TensorId(std::size_t{0}), kFourUs, Microseconds(2), kD0, kD1);
  channels_.Book(TensorId(std::size_t{0}), kFourUs, Microseconds(2), kD0, kD1);
  EXPECT_EQ(Arrival(0, 2, kD1), Microseconds(6));
  EXPECT_EQ(Arrival(1, 2, kD1), Microseconds(10));
}

TEST_F(BookedChannelsTest, NothingTravelsWithinADevice) {
  EXPECT_EQ(Arrival(0, 7, kD0), Microseconds(7));
}

// A device sends one transfer at a time, whichever links they take.
TEST_F(BookedChannelsTest, TransfersToTwoDevicesShareTheEgressOfTheirSource) {
  channels_.Book(TensorId(std::size_t{0}), kFourUs, Microseconds(2), kD0, kD1);
  EXPECT_EQ(Arrival(1, 2, kD2), Microseconds(10));
}

}  // namespace
}  // namespace opyard::agents
