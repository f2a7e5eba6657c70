#include "env/padded_observation.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::TimedOp;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// Three ops and three edges, op 1 → op 2 first, on two devices; op 0 is in group 1.
Observation Small() {
  sim::OpSpec last = TimedOp("last", 7, {{2, 0}, {1, 0}}, {0});
  last.type = "Add";
  last.colocation = "g";
  sim::OpSpec middle = TimedOp("middle", 3, {{1, 0}}, {4});
  middle.colocation = "g";
  return Observe(
      *MakeProblem(MakeGraph({last, TimedOp("first", 1, {}, {99}), middle}), MeshMachine(2)));
}

std::vector<float> Part(const std::vector<float>& values, std::size_t first, std::size_t count) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

TEST(PadTest, FillsUpWithZerosAndMarksWhatIsThere) {
  const PaddedObservation padded = Pad(Small(), {.max_ops = 5, .max_edges = 4, .max_devices = 3});

  EXPECT_THAT(padded.op_mask, ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(padded.edge_mask, ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(padded.machine_mask, ElementsAre(1, 1, 0));
  EXPECT_THAT(padded.edge_index, ElementsAre(1, 1, 2, 0, 2, 0, 0, 0));
  EXPECT_THAT(padded.group_id, ElementsAre(1, 0, 1, 0, 0));
}

TEST(PadTest, RowsOfFeaturesStandWhereTheyStood) {
  const Observation observation = Small();
  const PaddedObservation padded =
      Pad(observation, {.max_ops = 5, .max_edges = 4, .max_devices = 3});

  ASSERT_EQ(padded.x.size(), 5 * kNumFeatures);
  EXPECT_THAT(Part(padded.x, 0, 3 * kNumFeatures), ElementsAreArray(observation.x));
  EXPECT_THAT(Part(padded.x, 3 * kNumFeatures, 2 * kNumFeatures), Each(0.0F));
  ASSERT_EQ(padded.edge_x.size(), 4 * kNumEdgeFeatures);
  EXPECT_THAT(Part(padded.edge_x, 0, 3 * kNumEdgeFeatures), ElementsAreArray(observation.edge_x));
  ASSERT_EQ(padded.device_x.size(), 3 * kNumDeviceFeatures);
  EXPECT_THAT(Part(padded.device_x, 0, 2 * kNumDeviceFeatures),
              ElementsAreArray(observation.device_x));
}

TEST(PadTest, PairsStandInASquareOfTheirRoom) {
  const Observation observation = Small();
  const std::vector<float> pair_x =
      Pad(observation, {.max_ops = 3, .max_edges = 3, .max_devices = 3}).pair_x;

  // [3, 3]: the pairs of device 0, one that is not there, those of device 1, and so on
  ASSERT_EQ(pair_x.size(), 9 * kNumPairFeatures);
  EXPECT_THAT(Part(pair_x, 0, 2 * kNumPairFeatures),
              ElementsAreArray(Part(observation.pair_x, 0, 2 * kNumPairFeatures)));
  EXPECT_THAT(Part(pair_x, 2 * kNumPairFeatures, kNumPairFeatures), Each(0.0F));
  EXPECT_THAT(
      Part(pair_x, 3 * kNumPairFeatures, 2 * kNumPairFeatures),
      ElementsAreArray(Part(observation.pair_x, 2 * kNumPairFeatures, 2 * kNumPairFeatures)));
  EXPECT_THAT(Part(pair_x, 5 * kNumPairFeatures, 4 * kNumPairFeatures), Each(0.0F));
}

TEST(PadTest, TooLittleRoomIsRefused) {
  EXPECT_THROW((void)Pad(Small(), {.max_ops = 2, .max_edges = 3, .max_devices = 2}), InputError);
  EXPECT_THROW((void)Pad(Small(), {.max_ops = 3, .max_edges = 2, .max_devices = 2}), InputError);
  EXPECT_THROW((void)Pad(Small(), {.max_ops = 3, .max_edges = 3, .max_devices = 1}), InputError);
}

TEST(FlattenTest, HoldsOpsThenEdgesThenDevicesThenPairsThenTheMask) {
  const Observation observation = Small();
  const Room room{.max_ops = 4, .max_edges = 3, .max_devices = 3};
  const PaddedObservation padded = Pad(observation, room);
  const std::vector<float> flat = Flatten(padded, {1, 0});

  // per op 33, per edge 7, per device 10, per pair 3
  const std::size_t edges = 4 * 33;
  const std::size_t devices = edges + 3 * 7;
  const std::size_t pairs = devices + 3 * 10;
  ASSERT_EQ(flat.size(), FlatSize(room, 2));
  ASSERT_EQ(flat.size(), pairs + 9 * 3 + 2);
  // op 0: there, an Add, in group 1 of room for 4 ops
  EXPECT_THAT(Part(flat, 0, 3),
              ElementsAre(1.0F, static_cast<float>(OpTypeHash("Add")) / 256.0F, 0.25F));
  EXPECT_THAT(Part(flat, 33 + 3, kNumFeatures),
              ElementsAreArray(Part(observation.x, kNumFeatures, kNumFeatures)));
  // an edge from op 1 to op 2
  EXPECT_THAT(Part(flat, edges, 3), ElementsAre(1.0F, 0.25F, 0.5F));
  EXPECT_THAT(Part(flat, edges + 3, kNumEdgeFeatures),
              ElementsAreArray(Part(observation.edge_x, 0, kNumEdgeFeatures)));
  EXPECT_EQ(flat[devices + 10], 1.0F);
  EXPECT_THAT(Part(flat, devices + 11, kNumDeviceFeatures),
              ElementsAreArray(Part(observation.device_x, kNumDeviceFeatures, kNumDeviceFeatures)));
  EXPECT_EQ(flat[devices + 20], 0.0F);  // the third device is not there
  EXPECT_THAT(Part(flat, pairs, 9 * 3), ElementsAreArray(padded.pair_x));
  EXPECT_THAT(Part(flat, flat.size() - 2, 2), ElementsAre(1.0F, 0.0F));
}

}  // namespace
}  // namespace opyard::env
