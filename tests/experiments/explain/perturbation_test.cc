// Times in comments are microseconds; links carry 1000 bytes in one.
#include "experiments/explain/perturbation.h"

#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;

std::shared_ptr<const sim::OpGraph> Fork() {
  return MakeGraph(
      {TimedOp("a", 2, {}, {4000, 10000}), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 1}})});
}

SimTime MakespanUnder(const Perturbation& perturbation,
                      const sim::HardwareProfile& machine = MeshMachine(3)) {
  return SimulatePerturbed(Fork(), machine, {PlacedOn({0, 1, 2})}, perturbation).front().makespan;
}

TEST(PerturbationTest, NothingPerturbedIsTheMachineItself) {
  // a 0–2; to b 2–6, to c 6–16 (one sender); c 16–17.
  EXPECT_EQ(MakespanUnder({}), Microseconds(17));
}

TEST(PerturbationTest, OpsOfAScaledTypeTakeTheirFactor) {
  // a 0–6; transfers to 20; c 20–23.
  EXPECT_EQ(MakespanUnder({.op_factors = {{Fork()->ops()[0].type, 3.0}}}), Microseconds(23));
}

TEST(PerturbationTest, ALinkOfHalfTheBandwidthTakesTwiceAsLong) {
  // a 0–2; to b 2–10, to c 10–20; c 20–21.
  EXPECT_EQ(MakespanUnder({.link_factors = {{"d0-d1", 0.5}}}), Microseconds(21));
}

TEST(PerturbationTest, SerialLinksBecomeFairAndBack) {
  sim::HardwareProfile machine = MeshMachine(3);
  EXPECT_EQ(PerturbedMachine(machine, {.swaps_sharing = true}).transfers.sharing,
            sim::Sharing::kFair);
  machine.transfers.sharing = sim::Sharing::kFair;
  EXPECT_EQ(PerturbedMachine(machine, {.swaps_sharing = true}).transfers.sharing,
            sim::Sharing::kSerial);
}

TEST(PerturbationTest, SharingStaysWhereItsSwapIsNotSimulated) {
  sim::HardwareProfile machine = MeshMachine(3);
  machine.transfers.one_per = sim::OnePer::kOutput;
  EXPECT_EQ(PerturbedMachine(machine, {.swaps_sharing = true}).transfers.sharing,
            sim::Sharing::kSerial);
}

TEST(PerturbationTest, TheCostsOfTheProblemsModelAreScaled) {
  sim::OpSpec op{.name = "op", .type = "Relu"};
  op.outputs = {{.bytes = Bytes{4}}};
  op.bytes_accessed = Bytes{1'000'000};
  sim::HardwareProfile machine = MeshMachine(1);
  machine.devices[0].memory_bandwidth_bytes_per_s = 500e9;
  machine.devices[0].launch_overhead_s = 0.0;
  machine.devices[0].cost = {.memory_efficiency = 0.5};
  const auto makespan = [&](const std::string& model) {
    const Perturbation perturbation{.cost_model = model, .op_factors = {{"Relu", 3.0}}};
    return SimulatePerturbed(MakeGraph({op}), machine, {PlacedOn({0})}, perturbation)
        .front()
        .makespan;
  };
  // Three times 1 MB at 500 GB/s, of which `roofline` has half.
  EXPECT_EQ(makespan("peak_roofline"), Microseconds(6));
  EXPECT_EQ(makespan("roofline"), Microseconds(12));
}

TEST(PerturbationTest, EveryPlanHasAnAnswerInOrder) {
  const std::vector<sim::SimResult> results =
      SimulatePerturbed(Fork(), MeshMachine(3), {PlacedOn({0, 0, 0}), PlacedOn({0, 1, 2})}, {});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].makespan, Microseconds(4));  // 2 + 1 + 1 on one device
  EXPECT_EQ(results[1].makespan, Microseconds(17));
}

TEST(PerturbationTest, WhatIsNoFactorIsRefusedAllAtOnce) {
  try {
    MakespanUnder({.op_factors = {{"Relu", 0.0}}, .fusion_saving = 1.5});
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("op_factors/Relu"), std::string::npos) << text;
    EXPECT_NE(text.find("fusion_saving"), std::string::npos) << text;
  }
}

TEST(PerturbationTest, AnUnknownLinkIsRefused) {
  EXPECT_THROW(MakespanUnder({.link_factors = {{"x", 2.0}}}), InputError);
}

}  // namespace
}  // namespace opyard::experiments
