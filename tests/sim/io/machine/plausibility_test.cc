// Figures that are likely typed wrong, and devices that cannot run all ops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/machine/machine_yaml_write.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/sim/io/machine/profile_files.h"

namespace opyard::sim {
namespace {

using opyard::testing::kSmallDevice;
using opyard::testing::kSmallMachine;
using opyard::testing::ProfileFiles;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Figures {
  std::string kind = "gpu";
  std::string memory = "16 GiB";
  std::string bandwidth = "900 GB/s";
  std::string peaks = "{f32: 15.7 TFLOP/s}";
};

std::string DeviceFile(const Figures& figures) {
  return "schema_version: 1\nname: small\nkind: " + figures.kind + "\nmemory: " + figures.memory +
         "\nmemory_bandwidth: " + figures.bandwidth + "\npeak_flops: " + figures.peaks + "\n";
}

std::vector<std::string> OdditiesOf(const Figures& figures) {
  return ProfileFiles(kSmallMachine, DeviceFile(figures)).ReadDevice().oddities;
}

TEST(PlausibilityTest, RealDevicesAreNotOdd) {
  for (const Figures& figures : std::vector<Figures>{
           {},
           {.memory = "80 GiB",
           .bandwidth = "3.35 TB/s",
           .peaks = "{f64: 34 TFLOP/s, f32: 67 TFLOP/s, f16: 990 TFLOP/s, f8: 1979 TFLOP/s}"},
           {.memory = "4 GiB", .bandwidth = "25.6 GB/s", .peaks = "{f32: 236 GFLOP/s}"},
           {.kind = "cpu", .memory = "1 TiB", .bandwidth = "300 GB/s", .peaks = "{f32: 9 TFLOP/s}"},
           {.kind = "cpu", .memory = "8 GiB", .bandwidth = "6 GB/s", .peaks = "{f32: 24 GFLOP/s}"},
           {.kind = "tpu",
           .memory = "95 GiB",
           .bandwidth = "2.7 TB/s",
           .peaks = "{i8: 918 TFLOP/s}"},
           {.kind = "other",
           .memory = "900 MiB",
           .bandwidth = "47 TB/s",
           .peaks = "{f16: 250 TFLOP/s}"}}) {
    EXPECT_THAT(OdditiesOf(figures), IsEmpty()) << DeviceFile(figures);
  }
}

TEST(PlausibilityTest, AThousandTimesTooMuchOrTooLittleIsOdd) {
  const std::vector<std::pair<Figures, std::string>> cases = {
      {{.peaks = "{f32: 15.7 GFLOP/s}"},
       "a peak of 15.7 GFLOP/s for f32 is implausible for a gpu (outside 100 GFLOP/s to 1 "
       "PFLOP/s)"},
      {{.peaks = "{f32: 15.7 PFLOP/s}"}, "a peak of 15.7 PFLOP/s for f32 is implausible for a gpu"},
      {{.peaks = "{f32: 15.7 TFLOP/s, f16: 990 PFLOP/s}"}, "for f16 is implausible"},
      {{.bandwidth = "3.35 GB/s"},
       "a memory bandwidth of 3.35 GB/s is implausible for a gpu (outside 10 GB/s to 100 TB/s)"},
      {{.bandwidth = "900 TB/s"}, "a memory bandwidth of 900 TB/s is implausible for a gpu"},
      {{.memory = "16 MiB"},
       "memory of 16 MiB is implausible for a gpu (outside 512 MiB to 2 TiB)"},
      {{.memory = "16 TiB"}, "memory of 16 TiB is implausible for a gpu"},
      {{.kind = "cpu", .bandwidth = "76.8 GB/s", .peaks = "{f32: 1.165 GFLOP/s}"},
       "a peak of 1.165 GFLOP/s for f32 is implausible for a cpu"},
      // 15.7e12 / 1e9 = 15,700 FLOP for each byte, at most 10,000.
      {{.kind = "cpu", .bandwidth = "1 GB/s"},
       "the greatest peak beside this memory bandwidth is implausible (outside 0.05 to 10,000"}};
  for (const auto& [figures, text] : cases) {
    EXPECT_THAT(OdditiesOf(figures), Contains(HasSubstr(text)));
  }
}

TEST(PlausibilityTest, WhereNumbersComeFromIsNoOddity) {
  const DeviceReading reading = ProfileFiles(kSmallMachine).ReadDevice();

  EXPECT_THAT(reading.warnings, Contains(HasSubstr("no provenance says where \"memory\"")));
  EXPECT_THAT(reading.oddities, IsEmpty());
}

TEST(PlausibilityTest, AMachineWarnsOfItsDeviceTypesOnce) {
  // Two devices of one type.
  const MachineReading reading =
      ProfileFiles(kSmallMachine, DeviceFile({.memory = "16 MiB"})).ReadMachine();

  EXPECT_THAT(reading.oddities, ElementsAre(HasSubstr("small.yaml:4:9: memory of 16 MiB")));
  EXPECT_THAT(reading.warnings, Contains(HasSubstr("small.yaml:4:9: memory of 16 MiB")));
  EXPECT_THAT(reading.warnings, Contains(HasSubstr("small.yaml:4:9: no provenance says where")));
}

TEST(PlausibilityTest, WhatAMachineOverridesIsItsOwnOddity) {
  const MachineReading reading =
      ProfileFiles("schema_version: 1\nname: m\ndevices: [{name: a, type: small, memory: 1 MiB}]\n")
          .ReadMachine();

  EXPECT_THAT(reading.oddities, ElementsAre(HasSubstr("m.yaml:3:42: memory of 1 MiB")));
}

TEST(UnsupportedTest, OpTypesAreSortedAndWrittenBack) {
  const ProfileFiles files(kSmallMachine, kSmallDevice + "unsupported: [MaxPool, Conv2D]\n");
  const auto machine = files.ReadMachine().machine;

  EXPECT_THAT(machine->devices[1].unsupported, ElementsAre("Conv2D", "MaxPool"));
  const auto again = ReadMachineText(WriteMachineText(*machine), "text");
  EXPECT_THAT(again->devices[1].unsupported, ElementsAre("Conv2D", "MaxPool"));
}

TEST(UnsupportedTest, AMachineOverridesThemForADevice) {
  const ProfileFiles files(
      "schema_version: 1\nname: m\ndevices:\n  - {name: a, type: small, unsupported: []}\n",
      kSmallDevice + "unsupported: [Conv2D]\n");

  EXPECT_THAT(files.ReadMachine().machine->devices[0].unsupported, IsEmpty());
}

TEST(UnsupportedTest, AMisspeltTypeIsOdd) {
  const ProfileFiles files(kSmallMachine, kSmallDevice + "unsupported: [Conv2DD, MaxPool]\n");

  EXPECT_THAT(files.ReadDevice().oddities,
              ElementsAre(HasSubstr(
                  "small.yaml:7:15: unsupported: \"Conv2DD\" is no op type that is known "
                  "here, and only ops of that very type count; did you mean \"Conv2D\"?")));
}

TEST(UnsupportedTest, ATypeThatStandsTwiceAndWhatIsNoListAreRefused) {
  EXPECT_THAT(
      ProfileFiles(kSmallMachine, kSmallDevice + "unsupported: [Relu, Relu]\n").DeviceProblems(),
      HasSubstr("small.yaml:7:21: the op type \"Relu\" stands twice"));
  EXPECT_THAT(ProfileFiles(kSmallMachine, kSmallDevice + "unsupported: Relu\n").DeviceProblems(),
              HasSubstr("small.yaml:7:14: found \"Relu\", expected a list of op types"));
}

TEST(UnsupportedTest, ADeviceWithoutThemHasNoLineForThem) {
  EXPECT_THAT(WriteMachineText(*ProfileFiles(kSmallMachine).ReadMachine().machine),
              Not(HasSubstr("unsupported")));
}

}  // namespace
}  // namespace opyard::sim
