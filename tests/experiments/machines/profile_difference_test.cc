#include "experiments/machines/profile_difference.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/sim/io/machine/profile_files.h"

namespace opyard::experiments {
namespace {

using opyard::testing::kSmallDevice;
using opyard::testing::kSmallMachine;
using opyard::testing::ProfileFiles;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Changed(std::string text, const std::string& found, const std::string& replacement) {
  const std::size_t at = text.find(found);
  EXPECT_NE(at, std::string::npos) << found;
  return text.replace(at, found.size(), replacement);
}

ProfileReading MachineOfText(const std::string& text) {
  return ProfileFiles(text).ReadMachine();
}

ProfileReading DeviceOfText(const std::string& text) {
  return ProfileFiles(kSmallMachine, text).ReadDevice();
}

// "section names key before after".
std::vector<std::string> TextsOf(const ProfileDifference& difference) {
  std::vector<std::string> texts;
  for (const ProfileChange& change : difference.changes) {
    texts.push_back(PlaceText(change) + " " + BeforeText(change) + " > " + AfterText(change));
  }
  return texts;
}

ProfileDifference CompareMachines(const std::string& before, const std::string& after) {
  return CompareProfiles(MachineOfText(before), MachineOfText(after));
}

TEST(ProfileDifferenceTest, EqualMachinesHaveNone) {
  EXPECT_TRUE(CompareMachines(kSmallMachine, kSmallMachine).is_empty());
}

TEST(ProfileDifferenceTest, UnitsNamesAndProvenanceDoNotCount) {
  std::string other = Changed(kSmallMachine, "10 GB/s", "80 Gb/s");
  other = Changed(other, "name: pair", "name: twins");
  other = Changed(other, "2 us", "2000 ns");
  other += "provenance: {links: {kind: measured, source: \"x\"}}\n";
  EXPECT_TRUE(CompareMachines(kSmallMachine, other).is_empty());
}

TEST(ProfileDifferenceTest, NamesEachValueThatDiffers) {
  std::string other = Changed(kSmallMachine, "10 GB/s", "8 GB/s");
  other += "memory: {reserve: 0.25}\n";
  EXPECT_THAT(TextsOf(CompareMachines(kSmallMachine, other)),
              ElementsAre("memory.reserve 0 > 0.25", "links.up: bandwidth 10 GB/s > 8 GB/s"));
}

TEST(ProfileDifferenceTest, DevicesThatChangeAlikeStandTogether) {
  const std::string other = Changed(kSmallMachine, "count: 2", "count: 2, memory: 3 GiB");
  EXPECT_THAT(TextsOf(CompareMachines(kSmallMachine, other)),
              ElementsAre("devices.gpu0, gpu1: memory 2.00 GiB > 3.00 GiB"));
}

TEST(ProfileDifferenceTest, DeviceTypesAreResolved) {
  const ProfileFiles before(kSmallMachine);
  const ProfileFiles after(kSmallMachine, Changed(kSmallDevice, "3 TFLOP/s", "4 TFLOP/s"));
  EXPECT_THAT(TextsOf(CompareProfiles(before.ReadMachine(), after.ReadMachine())),
              ElementsAre("devices.gpu0, gpu1: peak_flops.f32 3 TFLOP/s > 4 TFLOP/s"));
}

TEST(ProfileDifferenceTest, ValuesThatLookAlikeHaveAllTheirDigits) {
  const std::string other = Changed(kSmallMachine, "count: 2", "count: 2, memory: 2147483649 B");
  EXPECT_THAT(TextsOf(CompareMachines(kSmallMachine, other)),
              ElementsAre("devices.gpu0, gpu1: memory 2147483648 B > 2147483649 B"));
}

TEST(ProfileDifferenceTest, AValueOfOneProfileOnlyIsNoneInTheOther) {
  const std::string other =
      Changed(kSmallMachine, "count: 2", "count: 2, peak_flops: {f16: 6 TFLOP/s}");
  EXPECT_THAT(TextsOf(CompareMachines(kSmallMachine, other)),
              ElementsAre("devices.gpu0, gpu1: peak_flops.f16 (none) > 6 TFLOP/s"));
}

TEST(ProfileDifferenceTest, NamesItemsOfOneMachineOnly) {
  const std::string other = Changed(kSmallMachine, "count: 2", "count: 3") +
                            "  - {name: third, between: [gpu2, hub], bandwidth: 1 GB/s}\n";
  const ProfileDifference difference = CompareMachines(kSmallMachine, other);
  EXPECT_THAT(difference.only_before, IsEmpty());
  EXPECT_THAT(difference.only_after, ElementsAre("devices.gpu2", "links.third"));
  EXPECT_THAT(CompareMachines(other, kSmallMachine).only_before,
              ElementsAre("devices.gpu2", "links.third"));
}

TEST(ProfileDifferenceTest, AShorthandIsWhatItStandsFor) {
  const std::string begin =
      "schema_version: 1\nname: m\ndevices: [{name: gpu, type: small, count: 2}]\n";
  EXPECT_TRUE(
      CompareMachines(
          begin + "links: [{name: x, topology: switch, between: [gpu*], bandwidth: 1 GB/s}]\n",
          begin + "switches: [x]\nlinks:\n"
                  "  - {name: x.gpu0, between: [gpu0, x], bandwidth: 1 GB/s}\n"
                  "  - {name: x.gpu1, between: [gpu1, x], bandwidth: 1 GB/s}\n")
          .is_empty());
}

TEST(ProfileDifferenceTest, ARouteThatIsTheCheapestAnywayIsNone) {
  const std::string same = kSmallMachine + "routes: [{from: gpu0, to: gpu1, via: [up, down]}]\n";
  EXPECT_TRUE(CompareMachines(kSmallMachine, same).is_empty());
  const std::string other =
      kSmallMachine + "routes: [{from: gpu0, to: gpu1, via: [up, down], latency: 4 us}]\n";
  EXPECT_THAT(CompareMachines(kSmallMachine, other).only_after, ElementsAre("routes.gpu0->gpu1"));
}

TEST(ProfileDifferenceTest, TheEndsOfABusHaveNoOrder) {
  const std::string bus = Changed(kSmallMachine, "2 us}", "2 us, duplex: half}");
  EXPECT_TRUE(CompareMachines(bus, Changed(bus, "[gpu0, hub]", "[hub, gpu0]")).is_empty());
  const std::string turned = Changed(kSmallMachine, "[gpu0, hub]", "[hub, gpu0]");
  EXPECT_THAT(TextsOf(CompareMachines(kSmallMachine, turned)),
              ElementsAre("links.up: between [gpu0, hub] > [hub, gpu0]"));
}

TEST(ProfileDifferenceTest, TellsOfAnotherOrder) {
  const std::string links =
      "  - {name: up, between: [gpu0, hub], bandwidth: 10 GB/s, latency: 2 us}\n";
  const std::string other = Changed(kSmallMachine, links, "") + links;
  const ProfileDifference difference = CompareMachines(kSmallMachine, other);
  EXPECT_TRUE(difference.has_other_order);
  EXPECT_THAT(difference.changes, IsEmpty());
}

TEST(ProfileDifferenceTest, TwoDevicesAreComparedWithoutTheirNames) {
  const std::string other =
      Changed(Changed(kSmallDevice, "name: small", "name: tiny"), "100 GB/s", "90 GB/s");
  EXPECT_THAT(TextsOf(CompareProfiles(DeviceOfText(kSmallDevice), DeviceOfText(other))),
              ElementsAre("memory_bandwidth 100 GB/s > 90 GB/s"));
}

TEST(ProfileDifferenceTest, ADeviceAndAMachineAreRefused) {
  EXPECT_THROW(
      static_cast<void>(CompareProfiles(DeviceOfText(kSmallDevice), MachineOfText(kSmallMachine))),
      InputError);
}

}  // namespace
}  // namespace opyard::experiments
