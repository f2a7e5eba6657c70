#include "env/features/pair_features.h"

#include <cmath>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/env/features/hand_case.h"

namespace opyard::env {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;

// The column `name` for the pairs of cpu0, gpu0, gpu1, sources first (hand_case.h).
std::vector<float> PairColumn(std::string_view name) {
  return ColumnOf(HandStepObservation().pair_x, kPairFeatureNames, name);
}

// The column shared_channel of a chain of ops on `machine`.
std::vector<float> SharedOn(sim::HardwareProfile machine) {
  return ColumnOf(Observe(*MakeProblem(ChainGraph(), std::move(machine))).pair_x,
                  kPairFeatureNames,
                  "shared_channel");
}

TEST(PairFeaturesTest, TheMeanTensorIsComparedWithTheMeanOp) {
  // Tensors that are read: (6000 + 3000 + 8000 + 15,000 + 8000) / 5 = 8000 B. Their transfers take
  // 4 + 32 = 36 us from and to the CPU, 1 + 8 = 9 us between the GPUs. Compared with the 9 us of an
  // op: squash(4) = 2/3, squash(1) = 1/2.
  const auto host = FloatEq(2.0F / 3);
  EXPECT_THAT(PairColumn("transfer_to_op_time"),
              ElementsAre(0.0F, host, host, host, 0.0F, 0.5F, host, 0.5F, 0.0F));
}

TEST(PairFeaturesTest, WhereNoRouteLeadsATransferTakesForEver) {
  sim::HardwareProfile machine = HandMachine();
  machine.links.erase(machine.links.begin() + kGpu1);
  const Observation observation = Observe(*MakeProblem(HandStep(), machine));
  const std::vector<float> transfer =
      ColumnOf(observation.pair_x, kPairFeatureNames, "transfer_to_op_time");

  EXPECT_EQ(transfer[kGpu0 * 3 + kGpu1], 1.0F);
  EXPECT_EQ(transfer[kGpu1 * 3 + kGpu1], 0.0F);
}

TEST(PairFeaturesTest, ADeviceIsTheSameAsItself) {
  EXPECT_THAT(PairColumn("is_same"),
              ElementsAre(1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F));
}

TEST(PairFeaturesTest, OnlyPairsOfMainDevicesCountAsSharing) {
  // gpu0 → gpu1 and back share nothing. Each route between the CPU and a GPU shares the GPU's link
  // with one of those two.
  EXPECT_THAT(PairColumn("shared_channel"),
              ElementsAre(0.0F, 0.5F, 0.5F, 0.5F, 0.0F, 0.0F, 0.5F, 0.0F, 0.0F));
}

TEST(PairFeaturesTest, SendersShareTheirEngine) {
  // 6 pairs of 3 devices; d0 → d1 leaves d0 as d0 → d2 does and enters d1 as d2 → d1 does: either
  // channel is shared with 1 of the other 5
  const auto fifth = FloatEq(1.0F / 5);
  EXPECT_THAT(SharedOn(opyard::testing::MeshMachine(3)),
              ElementsAre(0.0F, fifth, fifth, fifth, 0.0F, fifth, fifth, fifth, 0.0F));
}

TEST(PairFeaturesTest, ABusIsSharedByAll) {
  EXPECT_THAT(SharedOn(opyard::testing::BusMachine(3)),
              ElementsAre(0.0F, 1.0F, 1.0F, 1.0F, 0.0F, 1.0F, 1.0F, 1.0F, 0.0F));
}

TEST(PairFeaturesTest, WhereNothingIsContendedNothingIsShared) {
  sim::HardwareProfile machine = opyard::testing::BusMachine(3);
  machine.transfers.sharing = sim::Sharing::kNone;

  EXPECT_THAT(SharedOn(machine), Each(0.0F));
}

}  // namespace
}  // namespace opyard::env
