#include "sim/hardware/hardware_profile.h"

#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

HardwareProfile TwoDevicesAndASwitch() {
  HardwareProfile machine;
  machine.devices = {{.name = "gpu0", .memory = Bytes{1001}}, {.name = "cpu0"}};
  machine.switches = {"plx0"};
  return machine;
}

TEST(HardwareProfileTest, NodesAreDevicesThenSwitches) {
  const HardwareProfile machine = TwoDevicesAndASwitch();
  EXPECT_EQ(machine.node_name(1), "cpu0");
  EXPECT_EQ(machine.node_name(2), "plx0");
}

TEST(HardwareProfileTest, DevicesAreFoundByNameAndSwitchesAreNot) {
  const HardwareProfile machine = TwoDevicesAndASwitch();
  EXPECT_EQ(machine.FindDevice("cpu0"), DeviceId(1));
  EXPECT_EQ(machine.FindDevice("plx0"), std::nullopt);
  EXPECT_EQ(machine.DeviceNames(), (std::vector<std::string>{"gpu0", "cpu0"}));
}

TEST(HardwareProfileTest, TheReserveIsKeptBackAndTheRestRoundedDown) {
  HardwareProfile machine = TwoDevicesAndASwitch();
  machine.memory.reserve = 0.25;
  EXPECT_EQ(machine.capacity(DeviceId(0)), Bytes{750});  // ⌊1001 × 0.75⌋ = ⌊750.75⌋
}

TEST(HardwareProfileTest, WithoutReserveTheCapacityIsExactBeyondTheBitsOfADouble) {
  HardwareProfile machine = TwoDevicesAndASwitch();
  machine.devices[0].memory = Bytes{(std::int64_t{1} << 60) + 1};
  EXPECT_EQ(machine.capacity(DeviceId(0)), Bytes{(std::int64_t{1} << 60) + 1});
}

}  // namespace
}  // namespace opyard::sim
