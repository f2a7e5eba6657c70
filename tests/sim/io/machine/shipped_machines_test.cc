// The shipped machines: their routes, their devices and where their numbers come from.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/hardware/routes.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::sim {
namespace {

TEST(ShippedMachinesTest, PairsOfP100x8CrossQpiBetweenTheSocketsOnly) {
  const auto machine = LoadMachine("p100x8-pcie");
  const RouteTable routes(*machine);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i == j) {
        continue;
      }
      const Route* route = routes.Find(machine->FindDevice("gpu" + std::to_string(i)).value(),
                                       machine->FindDevice("gpu" + std::to_string(j)).value());
      // card, switch, card; with both uplinks; with QPI between them
      const std::size_t num_hops = i / 2 == j / 2 ? 2U : i / 4 == j / 4 ? 4U : 5U;
      EXPECT_EQ(route->hops.size(), num_hops) << i << " to " << j;
      const bool crosses = std::ranges::any_of(route->hops, [&](LinkDirection hop) {
        return machine->links[static_cast<std::size_t>(hop.link)].name == "qpi";
      });
      EXPECT_EQ(crosses, i / 4 != j / 4) << i << " to " << j;
    }
  }
}

// The NVLink bricks of each pair of the DGX-1 (`nvidia-smi topo -m` on the machine).
constexpr int kBricks[8][8] = {{0, 1, 1, 2, 2, 0, 0, 0},
                               {1, 0, 2, 1, 0, 2, 0, 0},
                               {1, 2, 0, 2, 0, 0, 1, 0},
                               {2, 1, 2, 0, 0, 0, 0, 1},
                               {2, 0, 0, 0, 0, 1, 1, 2},
                               {0, 2, 0, 0, 1, 0, 2, 1},
                               {0, 0, 1, 0, 1, 2, 0, 2},
                               {0, 0, 0, 1, 2, 1, 2, 0}};

TEST(ShippedMachinesTest, TheDgx1IsTheHybridCubeMesh) {
  const auto machine = LoadMachine("v100x8-dgx1");
  const RouteTable routes(*machine);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i == j) {
        continue;
      }
      const Route* route = routes.Find(machine->FindDevice("gpu" + std::to_string(i)).value(),
                                       machine->FindDevice("gpu" + std::to_string(j)).value());
      const double expected = kBricks[i][j] == 2 ? 47.9e9 : kBricks[i][j] == 1 ? 23.9e9 : 10.28e9;
      EXPECT_DOUBLE_EQ(route->bandwidth_bytes_per_s, expected) << i << " to " << j;
      EXPECT_EQ(route->hops.size(), kBricks[i][j] > 0 ? 1U : 5U) << i << " to " << j;
    }
  }
}

TEST(ShippedMachinesTest, PairsWithoutNvlinkAllCrossQpi) {
  const auto machine = LoadMachine("v100x8-dgx1");
  const RouteTable routes(*machine);
  const Route* route =
      routes.Find(machine->FindDevice("gpu6").value(), machine->FindDevice("gpu0").value());
  std::vector<std::string> names;
  for (const LinkDirection hop : route->hops) {
    names.push_back(machine->links[static_cast<std::size_t>(hop.link)].name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"pcie6", "uplink3", "qpi", "uplink0", "pcie0"}));
}

TEST(ShippedMachinesTest, EveryMachineHasItsHostsAndItsGpus) {
  const auto count = [](const std::string& name, DeviceKind kind) {
    return std::ranges::count(LoadMachine(name)->devices, kind, &Device::kind);
  };
  EXPECT_EQ(count("p100x2-pcie", DeviceKind::kGpu), 2);
  EXPECT_EQ(count("p100x2-pcie", DeviceKind::kCpu), 1);
  EXPECT_EQ(count("p100x4-pcie", DeviceKind::kGpu), 4);
  EXPECT_EQ(count("p100x4-pcie", DeviceKind::kCpu), 1);
  EXPECT_EQ(count("p100x8-pcie", DeviceKind::kGpu), 8);
  EXPECT_EQ(count("p100x8-pcie", DeviceKind::kCpu), 2);
  EXPECT_EQ(count("v100x8-dgx1", DeviceKind::kGpu), 8);
  EXPECT_EQ(count("v100x8-dgx1", DeviceKind::kCpu), 2);
}

TEST(ShippedMachinesTest, AllFilesAreReadAndSayWhereTheirNumbersComeFrom) {
  for (const ShippedProfile& profile : ListShippedProfiles()) {
    const std::vector<std::string> warnings = profile.is_machine
                                                  ? ReadMachineFile(profile.path).warnings
                                                  : ReadDeviceFile(profile.path).warnings;
    for (const std::string& warning : warnings) {  // assumed numbers say so; nothing else is odd
      EXPECT_THAT(warning, ::testing::HasSubstr("is assumed"));
    }
  }
}

TEST(ShippedMachinesTest, FilesAreCalledAsTheyName) {
  for (const ShippedProfile& profile : ListShippedProfiles()) {
    const std::string name = profile.is_machine ? ReadMachineFile(profile.path).machine->name
                                                : ReadDeviceFile(profile.path).device.device.name;
    EXPECT_EQ(name, profile.name);
  }
}

}  // namespace
}  // namespace opyard::sim
