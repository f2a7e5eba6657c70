// Memories that devices share, as machine files give them.
#include "sim/io/machine/memory_pools_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/io/machine/profile_files.h"

namespace opyard::sim {
namespace {

using opyard::testing::ProfileFiles;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A machine of two small devices, each with `device_keys` after its type, and `pools`.
std::string MachineText(const std::string& pools, const std::string& device_keys) {
  return "schema_version: 1\nname: soc\ndevices:\n  - {name: gpu, type: small" + device_keys +
         "}\n  - {name: npu, type: small" + device_keys + "}\n" + pools +
         "links:\n  - {name: fabric, between: [gpu, npu], bandwidth: 50 GB/s}\n";
}

constexpr const char* kRam = "memory_pools:\n  - {name: ram, memory: 8 GiB, bandwidth: 120 GB/s}\n";

std::string ProblemsOf(const std::string& pools, const std::string& device_keys) {
  return ProfileFiles(MachineText(pools, device_keys)).MachineProblems();
}

TEST(ReadMemoryPoolsTest, DevicesShareWhatTheyName) {
  const auto machine = ProfileFiles(MachineText(kRam, ", memory_pool: ram")).ReadMachine().machine;
  EXPECT_THAT(
      machine->memory_pools,
      ElementsAre(MemoryPool{
          .name = "ram", .memory = Bytes{std::int64_t{8} << 30}, .bandwidth_bytes_per_s = 1.2e11}));
  EXPECT_THAT(machine->DevicesOfPool(0), ElementsAre(DeviceId(0), DeviceId(1)));
  EXPECT_EQ(machine->capacity(DeviceId(1)),
            Bytes{std::int64_t{8} << 30});  // not the 2 GiB of small
}

TEST(ReadMemoryPoolsTest, WithoutThemEachDeviceHasItsOwn) {
  const auto machine = ProfileFiles(MachineText("", "")).ReadMachine().machine;
  EXPECT_TRUE(machine->memory_pools.empty());
  EXPECT_EQ(machine->devices[0].memory_pool, Device::kNoMemoryPool);
  EXPECT_EQ(machine->capacity(DeviceId(1)), Bytes{std::int64_t{2} << 30});
}

TEST(ReadMemoryPoolsTest, ANameThatNoPoolHasIsRefused) {
  EXPECT_THAT(ProblemsOf(kRam, ", memory_pool: rom"),
              HasSubstr("m.yaml:4:43: found \"rom\", expected a memory pool; this machine has ram; "
                        "did you mean \"ram\"?"));
  EXPECT_THAT(ProblemsOf("", ", memory_pool: ram"), HasSubstr("this machine has no memory_pools"));
}

TEST(ReadMemoryPoolsTest, APoolWithoutDevicesIsRefused) {
  EXPECT_THAT(ProblemsOf(kRam, ""),
              HasSubstr("m.yaml:7:5: no device names the memory pool \"ram\""));
}

TEST(ReadMemoryPoolsTest, APoolSlowerThanADeviceAloneIsRefused) {
  EXPECT_THAT(ProblemsOf("memory_pools:\n  - {name: ram, memory: 8 GiB, bandwidth: 99 GB/s}\n",
                         ", memory_pool: ram"),
              HasSubstr("m.yaml:7:5: the bandwidth of the memory pool \"ram\" is less than the "
                        "memory_bandwidth of its device \"gpu\""));
}

TEST(ReadMemoryPoolsTest, EachKeyIsNeededAndPositive) {
  const std::string in_ram = ", memory_pool: ram";
  EXPECT_THAT(ProblemsOf("memory_pools:\n  - {name: ram, memory: 8 GiB}\n", in_ram),
              HasSubstr("key \"bandwidth\" is missing from memory pool"));
  EXPECT_THAT(ProblemsOf("memory_pools:\n  - {name: ram, bandwidth: 120 GB/s}\n", in_ram),
              HasSubstr("key \"memory\" is missing from memory pool"));
  EXPECT_THAT(
      ProblemsOf("memory_pools:\n  - {name: ram, memory: 0 B, bandwidth: 120 GB/s}\n", in_ram),
      HasSubstr("memory is zero"));
  EXPECT_THAT(
      ProblemsOf("memory_pools:\n  - {name: ram, memory: 8 GiB, bandwidth: 0 GB/s}\n", in_ram),
      HasSubstr("memory pool bandwidth is zero"));
  EXPECT_THAT(
      ProblemsOf("memory_pools:\n  - {name: ram, memory: 8 GiB, bandwidth: 120 GB/s, x: 1}\n",
                 in_ram),
      HasSubstr("unknown key \"x\" in memory pool"));
  EXPECT_THAT(ProblemsOf("memory_pools: {ram: 8 GiB}\n", in_ram), HasSubstr("memory_pools"));
}

TEST(ReadMemoryPoolsTest, TwoPoolsHaveTwoNames) {
  const std::string twice =
      std::string(kRam) + "  - {name: ram, memory: 1 GiB, bandwidth: 1 TB/s}\n";
  EXPECT_THAT(ProblemsOf(twice, ", memory_pool: ram"),
              HasSubstr("m.yaml:8:12: the name \"ram\" stands for two memory pools"));
}

}  // namespace
}  // namespace opyard::sim
