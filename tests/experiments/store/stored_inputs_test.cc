#include "experiments/store/stored_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/fingerprint.h"
#include "experiments/store/sqlite.h"
#include "sim/base/error.h"
#include "sim/io/machine/machine_yaml_write.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::TemporaryFolder;
using opyard::testing::TimedOp;
using ::testing::HasSubstr;

template <class Call>
std::string ErrorOf(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

std::int64_t NumInputs(const TemporaryFolder& folder) {
  return Database(ResultStore::FileOf(folder.path()), OpenMode::kReadWrite)
      .GetInt("SELECT count(*) FROM inputs");
}

TEST(StoredInputsTest, EveryShippedMachineComesBackWithItsFingerprint) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  for (const sim::ShippedProfile& shipped : sim::ListShippedProfiles()) {
    if (shipped.is_machine) {
      const auto machine = sim::LoadMachine(shipped.name);
      KeepMachine(store, Fingerprint(*machine), *machine);
      EXPECT_NE(FindMachine(store, Fingerprint(*machine)), nullptr) << shipped.name;
    }
  }
}

// A field that the fingerprint covers and the text does not would show as another fingerprint.
TEST(StoredInputsTest, RandomMachinesComeBackWithTheirFingerprints) {
  const opyard::testing::CaseLimits limits{
      .rules = {.gaps = true, .dispatch = true, .per_output = true, .per_edge = true, .fair = true},
      .fuses = true};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    sim::HardwareProfile machine =
        opyard::testing::MakeRandomCase(seed, opyard::testing::Values::kContinuous, limits)
            .hardware;
    for (sim::Device& device : machine.devices) {
      device.cost.classes = sim::DefaultCostParameters(device.kind).classes;
    }
    const auto found = sim::ReadMachineText(sim::WriteMachineText(machine), "text");
    EXPECT_EQ(Fingerprint(*found), Fingerprint(machine)) << seed;
  }
}

TEST(StoredInputsTest, AGraphComesBackEqualAndIsKeptOnce) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3)});
  const std::string sha256 = Fingerprint(*graph);
  KeepGraph(store, sha256, *graph);
  KeepGraph(store, sha256, *graph);
  const auto found = FindGraph(store, sha256);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(Fingerprint(*found), sha256);
  EXPECT_EQ(NumInputs(folder), 1);
}

// Results of graphs from before there were releases keep their place.
TEST(StoredInputsTest, AReleaseMakesAnotherGraphAndReleasesAtTimeZeroDoNot) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2), TimedOp("b", 3)};
  const std::string sha256 = Fingerprint(*MakeGraph(ops));
  ops[1].release = SimTime{};
  EXPECT_EQ(Fingerprint(*MakeGraph(ops)), sha256);
  ops[1].release = SimTime{1};
  EXPECT_NE(Fingerprint(*MakeGraph(ops)), sha256);
}

TEST(StoredInputsTest, WhatTheStoreLacksIsNull) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  EXPECT_EQ(FindGraph(store, "d"), nullptr);
  EXPECT_EQ(FindMachine(store, "d"), nullptr);
}

TEST(StoredInputsTest, AnotherGraphOrMachineUnderTheDigestIsRefused) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::Create(folder.path(), {});
  KeepGraph(store, "d1", *MakeGraph({TimedOp("a", 2)}));
  KeepMachine(store, "d2", *sim::LoadMachine("p100x2-pcie"));
  EXPECT_THAT(ErrorOf([&] { static_cast<void>(FindGraph(store, "d1")); }),
              HasSubstr("the stored graph is not the one of the run"));
  EXPECT_THAT(ErrorOf([&] { static_cast<void>(FindMachine(store, "d2")); }),
              HasSubstr("the stored machine is not the one of the run"));
  EXPECT_NE(ErrorOf([&] { static_cast<void>(FindMachine(store, "d1")); }), "(accepted)");
}

}  // namespace
}  // namespace opyard::experiments
